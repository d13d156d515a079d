//! Proves that
//! 1. no request gets in that a foreign page or a foreign name for this computer sent, on any route,
//! 2. nobody listens openly without asking who is there,
//! 3. who sends slowly, too much or nonsense costs the others nothing, and what is under way at the end ends well.

mod hosts;
mod listening;

use super::fixture::{Answer, Site};
use super::{Listener, Routes, Terms};
use axum::Router;
use axum::routing::{any, get};

async fn site(terms: Terms) -> Site {
    let routes = Router::new().route("/known", any(async |body: String| body)).route("/only-get", get(async || "got"));
    let listener = Listener::bind(terms).await.expect("bound");
    Site::serve(listener, Routes::new().guarded(routes))
}

async fn get_with(site: &Site, path: &str, headers: &[&str]) -> Answer {
    let headers: String = headers.iter().map(|it| format!("{it}\r\n")).collect();
    site.ask(format!("GET {path} HTTP/1.1\r\n{headers}\r\n")).await
}
