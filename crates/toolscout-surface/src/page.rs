//! The web UI: a few plain files that are part of the program.
//!
//! They contain no data: they read everything from `/api`, so they need no authentication. They are
//! allowed nothing but that, by a policy that browsers enforce: no script, style or picture from elsewhere, and no element
//! made from a text.

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
    files::ALL.iter().fold(Router::new(), |router, it| router.route(it.path, get(show).with_state(it)))
}

async fn show(State(asset): State<&'static Asset>, headers: HeaderMap) -> Response {
    asset.answer(&headers)
}
