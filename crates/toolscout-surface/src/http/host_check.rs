//! The host and origin check: rejects requests that a foreign web page made a browser send.
//!
//! A page whose name resolves to 127.0.0.1 (DNS rebinding) sends its own name in `Host`; a page
//! that sends a cross-origin request sends its own in `Origin`. Either is rejected, on every
//! route. Browsers mark cross-site requests without `Origin` in `Sec-Fetch-Site`.

use super::authority::{Authority, Host, Origin};
use super::{Error, HttpRejection};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use std::net::IpAddr;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The host names of this server, and the foreign origins that may send requests.
#[derive(Debug)]
pub(super) struct HostCheck {
    hosts: Vec<Authority>,
    origins: Vec<Origin>,
}

impl HostCheck {
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Result<Self, Error> {
        let host = |text: &String| Authority::parse(text).ok_or_else(|| Error::Host(text.clone()));
        let origin = |text: &String| Origin::parse(text).ok_or_else(|| Error::Origin(text.clone()));
        Ok(Self {
            hosts: hosts.iter().map(host).collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Checks a request that arrived at the address `local`. Returns its origin if it is an
    /// allowed foreign one.
    pub(super) fn check(
        &self,
        head: &Parts,
        local: IpAddr,
    ) -> Result<Option<HeaderValue>, HttpRejection> {
        let forbidden = |message: &str| HttpRejection::forbidden(message);
        let host = single_value(&head.headers, &HOST)?
            .ok_or_else(|| forbidden("missing `Host` header"))?;
        let host = host
            .to_str()
            .ok()
            .and_then(Authority::parse)
            .filter(|host| self.is_allowed(host, local));
        let host =
            host.ok_or_else(|| forbidden("Host not allowed; start with `--allow-host NAME`"))?;
        if head
            .uri
            .authority()
            .is_some_and(|target| Authority::parse(target.as_str()).as_ref() != Some(&host))
        {
            return Err(forbidden("the request target does not match `Host`"));
        }
        let Some(value) = single_value(&head.headers, &ORIGIN)? else {
            return check_site(head).map(|()| None);
        };
        match value.to_str().ok().and_then(Origin::parse) {
            Some(origin) if self.origins.contains(&origin) => Ok(Some(value.clone())),
            Some(origin) if origin.is_same(&host) => check_site(head).map(|()| None),
            _ => Err(forbidden("Origin not allowed; start with `--allow-origin ORIGIN`")),
        }
    }

    /// An IP address is allowed if the request arrived at it: DNS cannot redirect it.
    fn is_allowed(&self, host: &Authority, local: IpAddr) -> bool {
        let is_same = |allowed: &Authority| {
            allowed.host == host.host && (allowed.port.is_none() || allowed.port == host.port)
        };
        host.host.is_loopback() || host.host == Host::Ip(local) || self.hosts.iter().any(is_same)
    }
}

/// Rejects writes of a signed-in browser unless they come from our own UI and send JSON: a
/// foreign page can make a browser send its cookie along (CSRF), but cannot fake the origin or
/// send JSON.
pub(super) fn check_csrf(head: &Parts) -> Result<(), HttpRejection> {
    if head.method.is_safe() {
        return Ok(());
    }
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
    let (origin, host) =
        (text(ORIGIN).and_then(Origin::parse), text(HOST).and_then(Authority::parse));
    if !matches!((origin, host), (Some(origin), Some(host)) if origin.is_same(&host)) {
        let message = "only the web UI may send this request: `Origin` must match `Host`";
        return Err(HttpRejection::forbidden(message));
    }
    if !is_json(&head.headers) {
        let message = "`Content-Type` must be `application/json`";
        return Err(HttpRejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(())
}

/// Whether the body is declared as JSON. Foreign pages can make a browser send other media
/// types without a preflight.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let media_type =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type
        .split(';')
        .next()
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Checks requests without a foreign `Origin` by the headers that browsers add. Navigation by a
/// link is allowed.
fn check_site(head: &Parts) -> Result<(), HttpRejection> {
    let header_is = |name: &HeaderName, expected: &str| {
        head.headers.get(name).is_some_and(|value| value == expected)
    };
    let is_same_site = single_value(&head.headers, &SITE)?
        .is_none_or(|site| site == "same-origin" || site == "none");
    let is_navigation =
        head.method == Method::GET && header_is(&MODE, "navigate") && header_is(&DEST, "document");
    if is_same_site || is_navigation {
        return Ok(());
    }
    Err(HttpRejection::forbidden("cross-site requests are not allowed"))
}

/// The only value of a header. Two values are rejected, because a proxy may have checked the
/// other one.
fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, HttpRejection> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(HttpRejection::forbidden(format!("duplicate `{name}` header"))),
        (value, None) => Ok(value),
    }
}
