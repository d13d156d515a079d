//! The protected resource metadata (RFC 9728): names the issuer from which clients get a token.

use super::Auth;
use crate::http::HttpRejection;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;

/// The well-known path.
pub(super) const WELL_KNOWN_PATH: &str = "/.well-known/oauth-protected-resource";

/// Open routes. Without an issuer there is no metadata, and clients get that response without a
/// token.
pub(in crate::http) fn routes(auth: Arc<Auth>) -> Router {
    let root = async |State(auth): State<Arc<Auth>>| describe(&auth, "");
    let for_path = async |State(auth): State<Arc<Auth>>, Path(path): Path<String>| {
        let (Auth::Jwt(jwt), path) = (&*auth, format!("/{path}")) else { return not_found() };
        // If a proxy removes a part of the path, the request arrives as `/mcp`.
        let rest = [jwt.path(), "/mcp"].into_iter().find_map(|own| path.strip_prefix(own));
        let project = || [jwt.base_path(), ""].into_iter().find_map(|own| path.strip_prefix(own));
        rest.filter(|rest| is_profile(rest))
            .or_else(|| project().filter(|rest| is_project(rest)))
            .map_or_else(not_found, |profile| describe(&auth, profile))
    };
    Router::new()
        .route(WELL_KNOWN_PATH, get(root))
        .route("/.well-known/oauth-protected-resource/{*path}", get(for_path))
        .route("/.well-known/{*path}", get(async || not_found()))
        .with_state(auth)
}

fn is_profile(rest: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    rest.is_empty() || rest.strip_prefix('/').is_some_and(is_name)
}

/// Whether this is the path of a project, or of a profile in it.
pub(super) fn is_project(path: &str) -> bool {
    let rest = path.strip_prefix("/projects/").and_then(|rest| rest.split_once("/mcp"));
    rest.is_some_and(|(id, rest)| !id.contains('/') && is_profile(rest))
}

fn describe(auth: &Auth, profile: &str) -> Response {
    let Auth::Jwt(jwt) = auth else { return not_found() };
    let mut document = json!({
        "resource": jwt.resource(profile),
        "authorization_servers": [jwt.issuer()],
        "bearer_methods_supported": ["header"],
        "resource_name": "toolscout",
    });
    if !jwt.scopes().is_empty() {
        document["scopes_supported"] = json!(jwt.scopes());
    }
    ([(CONTENT_TYPE, "application/json")], document.to_string()).into_response()
}

fn not_found() -> Response {
    HttpRejection::not_found("not found").into_response()
}
