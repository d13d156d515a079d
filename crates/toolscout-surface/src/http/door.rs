//! Everybody we could know: by what they bring along, or by having come in at the page.

use super::auth::{Auth, Principal, SignIns};
use super::authority::Authority;
use super::origin::Origin;
use super::refusal::Refusal;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use std::sync::Arc;
use std::time::Instant;

/// Everybody we could know.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) auth: Arc<Auth>,
    /// None where there is no page.
    pub(super) sign_ins: Option<Arc<SignIns>>,
}

impl Door {
    /// Recognises who asks. Whoever brings a token along is who the token says, signed in or not.
    pub(super) async fn recognise(&self, head: &Parts) -> Result<Principal, Refusal> {
        if !head.headers.contains_key(AUTHORIZATION)
            && let Some(sign_ins) = &self.sign_ins
            && let Some(principal) = sign_ins.recognise(&head.headers, Instant::now())
        {
            return check_writing(head).map(|()| principal);
        }
        self.auth.recognise(&head.headers, head.uri.path()).await
    }
}

/// What a browser sends on its own accord changes nothing: only our own page says where it is from, and that it sends JSON.
pub(super) fn check_writing(head: &Parts) -> Result<(), Refusal> {
    if head.method.is_safe() {
        return Ok(());
    }
    if !is_own_page(&head.headers) {
        return Err(Refusal::forbidden("only the page itself may ask for this: `Origin` must be ours"));
    }
    match is_json(&head.headers) {
        true => Ok(()),
        false => Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "`Content-Type` must be `application/json`")),
    }
}

fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|it| it.to_str().ok());
    let origin = text(ORIGIN).and_then(Origin::parse);
    let host = text(HOST).and_then(Authority::parse);
    matches!((origin, host), (Some(origin), Some(host)) if origin.is_same(&host))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"))
}
