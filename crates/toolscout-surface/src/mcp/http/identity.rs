//! The identity of a request, and the headers that are passed on.

use crate::http::Principal;
use crate::mcp::client::Identity;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Headers that are not passed on: credentials for this server, and headers of the connection.
const NOT_FORWARDED: [&str; 13] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "mcp-session-id",
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "expect",
];
const SHOW_ALL: &str = "x-mcp-show-all";

pub(super) fn identity(principal: &Principal, head: &Parts) -> Identity {
    Identity {
        user: principal.name.clone(),
        token: principal.token.clone(),
        profile: principal.profile.clone(),
        approvals: principal.approvals,
        headers: Some(forwarded_headers(&head.headers).into()),
        shows_all: shows_all(head),
    }
}

/// The headers that a request context keeps: all but those in [`NOT_FORWARDED`].
pub(crate) fn forwarded_headers(all: &HeaderMap) -> Vec<(String, String)> {
    let forwarded = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = value.to_str().ok().filter(|_| !NOT_FORWARDED.contains(&name.as_str()))?;
        Some((name.as_str().to_owned(), value.to_owned()))
    };
    all.iter().filter_map(forwarded).collect()
}

fn shows_all(head: &Parts) -> bool {
    let is_true = |text: &str| text.eq_ignore_ascii_case("true") || text == "1";
    let by_header = head
        .headers
        .get(SHOW_ALL)
        .and_then(|header| header.to_str().ok())
        .is_some_and(|text| is_true(text.trim()));
    let mut queries = head.uri.query().unwrap_or_default().split('&');
    by_header || queries.any(|query| query.strip_prefix("show_all=").is_some_and(is_true))
}
