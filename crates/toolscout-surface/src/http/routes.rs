//! The routes of a listener: open ones, and those that need authentication.

use super::auth::{Authenticator, metadata};
use super::body::drain;
use super::connections::Authenticated;
use super::host_check::check_csrf;
use super::rejection::HttpRejection;
use super::signin;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::time::Instant;

/// The routes of a listener.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    open: Router,
    guarded: Router,
}

impl Routes {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds routes that require authentication; the [`super::Principal`] is in the extensions
    /// of a request.
    pub fn guarded(mut self, routes: Router) -> Self {
        self.guarded = self.guarded.merge(routes);
        self
    }

    /// Adds routes for unauthenticated requests: they may explain how to log in, and reveal
    /// nothing about tools.
    pub fn open(mut self, routes: Router) -> Self {
        self.open = self.open.merge(routes);
        self
    }

    /// All routes. Unknown paths require authentication as well: otherwise a response would
    /// reveal which paths exist.
    pub(super) fn into_router(self, authenticator: Authenticator) -> Router {
        let unknown = async || HttpRejection::not_found("not found; MCP is at `/mcp`");
        let not_allowed =
            async || HttpRejection::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed");
        let guarded = self
            .guarded
            .fallback(unknown)
            .layer(from_fn_with_state(authenticator.clone(), authenticate));
        let open = self
            .open
            .merge(signin::routes(&authenticator))
            .merge(metadata::routes(authenticator.auth));
        guarded.merge(open).method_not_allowed_fallback(not_allowed)
    }
}

/// Authenticates a request by its token, or else by the session of a browser.
async fn authenticate(
    State(authenticator): State<Authenticator>,
    request: Request,
    next: Next,
) -> Response {
    let (mut head, body) = request.into_parts();
    let sign_ins =
        authenticator.sign_ins.as_ref().filter(|_| !head.headers.contains_key(AUTHORIZATION));
    // A session that was opened with a token ends with it.
    let session = sign_ins
        .and_then(|sign_ins| sign_ins.authenticate(&head.headers, Instant::now()))
        .filter(|principal| authenticator.auth.is_current(principal));
    let authenticated = match session {
        Some(principal) => check_csrf(&head).map(|()| principal),
        None => authenticator.auth.authenticate(&head.headers, head.uri.path()).await,
    };
    match authenticated {
        Ok(principal) => {
            head.extensions.insert(principal);
            let mut response = next.run(Request::from_parts(head, body)).await;
            response.extensions_mut().insert(Authenticated);
            response
        }
        Err(rejection) => {
            drain(body).await;
            rejection.into_response()
        }
    }
}
