//! The web UI: a few static files that are part of the binary.
//!
//! The files contain no data: they read everything from `/api`, so they need no authentication.
//! A content security policy restricts them to that: no script, style or image from other
//! origins, and no element created from text.

mod asset;
mod files;

#[cfg(test)]
mod tests;

use asset::Asset;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;

/// The document at `/`, and its files.
pub fn routes() -> Router {
    files::ALL
        .iter()
        .fold(Router::new(), |router, asset| router.route(asset.path, get(serve).with_state(asset)))
}

async fn serve(State(asset): State<&'static Asset>, headers: HeaderMap) -> Response {
    asset.respond(&headers)
}
