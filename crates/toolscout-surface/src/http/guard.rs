//! Turns away what a web page could make a browser send: foreign names for this computer, and foreign pages.
//!
//! A page whose name leads to 127.0.0.1 has its own name in `Host`; a page that asks across has its own in `Origin`. Each is
//! enough to be turned away, on every route. What a browser sends without `Origin` it marks as cross-site.

use super::authority::{Authority, Host};
use super::origin::Origin;
use super::{Error, Refusal};
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use std::net::IpAddr;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Whose requests are looked at further.
#[derive(Debug)]
pub(super) struct Guard {
    hosts: Vec<Authority>,
    origins: Vec<Origin>,
}

impl Guard {
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Result<Self, Error> {
        let host = |it: &String| Authority::parse(it).ok_or_else(|| Error::Host(it.clone()));
        let origin = |it: &String| Origin::parse(it).ok_or_else(|| Error::Origin(it.clone()));
        Ok(Self {
            hosts: hosts.iter().map(host).collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Lets a request pass that came in at `local`. The origin is given where it is a foreign one that was allowed.
    pub(super) fn check(&self, head: &Parts, local: IpAddr) -> Result<Option<HeaderValue>, Refusal> {
        let host = one(&head.headers, &HOST)?.ok_or_else(|| Refusal::forbidden("a `Host` must be named"))?;
        let host = self.allowed_host(host, local)?;
        if head.uri.authority().is_some_and(|it| Authority::parse(it.as_str()).as_ref() != Some(&host)) {
            return Err(Refusal::forbidden("the target and `Host` disagree"));
        }
        let Some(value) = one(&head.headers, &ORIGIN)? else {
            return check_site(head).map(|()| None);
        };
        let origin = value.to_str().ok().and_then(Origin::parse);
        match origin {
            Some(origin) if self.origins.contains(&origin) => Ok(Some(value.clone())),
            Some(origin) if origin.is_same(&host) => check_site(head).map(|()| None),
            _ => Err(Refusal::forbidden("pages from that `Origin` may not ask here; if it is yours, allow it by name")),
        }
    }

    fn allowed_host(&self, value: &HeaderValue, local: IpAddr) -> Result<Authority, Refusal> {
        let host = value.to_str().ok().and_then(Authority::parse);
        // An address is no name: nobody can make it lead elsewhere.
        let is_allowed = |it: &Authority| {
            it.host.is_loopback()
                || it.host == Host::Ip(local)
                || self.hosts.iter().any(|own| own.host == it.host && (own.port.is_none() || own.port == it.port))
        };
        host.filter(is_allowed)
            .ok_or_else(|| Refusal::forbidden("nobody answers to that `Host` here; if it is yours, allow it by name"))
    }
}

/// What browsers say of requests that carry no `Origin`. A person who follows a link may look at a page.
fn check_site(head: &Parts) -> Result<(), Refusal> {
    let is = |name: &HeaderName, word: &str| head.headers.get(name).is_some_and(|it| it == word);
    let is_ours = match one(&head.headers, &SITE)? {
        None => true,
        Some(site) => site == "same-origin" || site == "none",
    };
    let is_visit = head.method == Method::GET && is(&MODE, "navigate") && is(&DEST, "document");
    match is_ours || is_visit {
        true => Ok(()),
        false => Err(Refusal::forbidden("pages from elsewhere may not ask here")),
    }
}

/// The one value of a header. Of two, somebody in between may have looked at the other one.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, Refusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(Refusal::forbidden(format!("`{name}` is there twice"))),
        (value, None) => Ok(value),
    }
}
