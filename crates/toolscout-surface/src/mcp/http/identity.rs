//! The identity of a request, and the headers that are passed on.

use crate::http::Principal;
use crate::mcp::client::Identity;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Headers that are not passed on: credentials for this server, and headers of the connection.
const KEPT_BACK: [&str; 13] = [
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
        headers: Some(passed_on(&head.headers).into()),
        shows_all: shows_all(head),
    }
}

/// The headers that a request context keeps: all but those in [`KEPT_BACK`].
pub(crate) fn passed_on(all: &HeaderMap) -> Vec<(String, String)> {
    let is_kept = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = value.to_str().ok().filter(|_| !KEPT_BACK.contains(&name.as_str()))?;
        Some((name.as_str().to_owned(), value.to_owned()))
    };
    all.iter().filter_map(is_kept).collect()
}

fn shows_all(head: &Parts) -> bool {
    let is_yes = |it: &str| it.eq_ignore_ascii_case("true") || it == "1";
    let by_header = head
        .headers
        .get(SHOW_ALL)
        .and_then(|it| it.to_str().ok())
        .is_some_and(|it| is_yes(it.trim()));
    let mut queries = head.uri.query().unwrap_or_default().split('&');
    by_header || queries.any(|it| it.strip_prefix("show_all=").is_some_and(is_yes))
}
