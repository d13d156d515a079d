//! The page for people, as it lies in the program: a few plain files that browsers take as they are.
//!
//! There is nothing of anybody in them: what they show they ask of `/api`, so they are open to whoever comes. They are
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

/// The page at `/`, and what belongs to it.
pub fn routes() -> Router {
    files::ALL.iter().fold(Router::new(), |router, it| router.route(it.path, get(show).with_state(it)))
}

async fn show(State(asset): State<&'static Asset>, headers: HeaderMap) -> Response {
    asset.answer(&headers)
}
