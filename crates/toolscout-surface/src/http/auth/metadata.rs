//! Where to get a token for us, told to whoever asks (RFC 9728).

use super::{Auth, Jwt};
use crate::http::Refusal;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;

/// What clients look for.
pub(super) const PLACE: &str = "/.well-known/oauth-protected-resource";

/// Open to everybody. Without an issuer there is nothing to tell, and clients must learn so without a token.
pub(in crate::http) fn routes(auth: Arc<Auth>) -> Router {
    Router::new()
        .route(PLACE, get(of_us))
        .route("/.well-known/oauth-protected-resource/{*path}", get(of_path))
        .route("/.well-known/{*path}", get(nothing))
        .with_state(auth)
}

async fn of_us(State(auth): State<Arc<Auth>>) -> Response {
    describe(&auth, "")
}

async fn of_path(State(auth): State<Arc<Auth>>, Path(path): Path<String>) -> Response {
    let path = format!("/{path}");
    let Auth::Jwt(jwt) = &*auth else { return absent().into_response() };
    // Where somebody in front of us takes a part of the path away, we are still at `/mcp` to ourselves.
    let rest = [jwt.path(), "/mcp"].into_iter().find_map(|it| path.strip_prefix(it));
    match rest.filter(|it| is_profile(it)) {
        Some(profile) => describe(&auth, profile),
        None => absent().into_response(),
    }
}

async fn nothing() -> Refusal {
    absent()
}

fn is_profile(rest: &str) -> bool {
    let is_word = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_.".contains(&it));
    rest.is_empty() || rest.strip_prefix('/').is_some_and(is_word)
}

fn describe(auth: &Auth, profile: &str) -> Response {
    match auth {
        Auth::Jwt(jwt) => ([(CONTENT_TYPE, "application/json")], document(jwt, profile)).into_response(),
        _ => absent().into_response(),
    }
}

fn document(jwt: &Jwt, profile: &str) -> String {
    let mut document = json!({
        "resource": jwt.resource(profile),
        "authorization_servers": [jwt.issuer()],
        "bearer_methods_supported": ["header"],
        "resource_name": "toolscout",
    });
    if !jwt.scopes().is_empty() {
        document["scopes_supported"] = json!(jwt.scopes());
    }
    document.to_string()
}

fn absent() -> Refusal {
    Refusal::not_found("there is nothing here")
}
