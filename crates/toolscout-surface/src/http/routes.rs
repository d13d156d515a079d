//! What can be asked for: some of it by anybody, the rest by whom we know.

use super::auth::metadata;
use super::body::drain;
use super::door::Door;
use super::refusal::Refusal;
use super::signin;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

/// What can be asked for.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    open: Router,
    guarded: Router,
}

impl Routes {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what wants somebody we know; the [`super::Principal`] is among the request's extensions.
    pub fn guarded(mut self, routes: Router) -> Self {
        self.guarded = self.guarded.merge(routes);
        self
    }

    /// Adds what anybody may see: how to get in, and nothing of what is inside.
    pub fn open(mut self, routes: Router) -> Self {
        self.open = self.open.merge(routes);
        self
    }

    /// All of it, with what is unknown behind the same door as what is known.
    pub(super) fn into_router(self, door: Door) -> Router {
        let guarded = self.guarded.fallback(unknown).layer(from_fn_with_state(door.clone(), recognise));
        let open = self.open.merge(signin::routes(&door)).merge(metadata::routes(door.auth));
        guarded.merge(open).method_not_allowed_fallback(not_allowed)
    }
}

async fn recognise(State(door): State<Door>, request: Request, next: Next) -> Response {
    let (mut head, body) = request.into_parts();
    match door.recognise(&head).await {
        Ok(principal) => {
            head.extensions.insert(principal);
            next.run(Request::from_parts(head, body)).await
        }
        Err(refusal) => {
            drain(body).await;
            refusal.into_response()
        }
    }
}

async fn unknown() -> Refusal {
    Refusal::not_found("there is nothing here; MCP is at `/mcp`")
}

async fn not_allowed() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here")
}
