//! Proves that
//! 1. requests of a foreign page, or with a foreign name for this machine, are rejected on
//!    every route,
//! 2. a listener that other machines can reach requires authentication,
//! 3. a client that sends slowly, too much or malformed data does not affect the others, and
//!    running requests finish at shutdown.

mod hosts;
mod listening;

use super::fixture::{Site, WireResponse};
use super::{Listener, Routes, Terms};
use axum::Router;
use axum::routing::{any, get};

async fn site(terms: Terms) -> Site {
    let routes = Router::new()
        .route("/known", any(async |body: String| body))
        .route("/only-get", get(async || "got"));
    let listener = Listener::bind(terms).await.expect("bound");
    Site::serve(listener, Routes::new().guarded(routes))
}

async fn get_with(site: &Site, path: &str, headers: &[&str]) -> WireResponse {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    site.send(format!("GET {path} HTTP/1.1\r\n{headers}\r\n")).await
}
