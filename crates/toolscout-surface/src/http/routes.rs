//! The routes of a listener: open ones, and those that need authentication.

use super::auth::{Authenticator, Principal, metadata};
use super::body::drain;
use super::connections::OpenConnection;
use super::event_stream;
use super::host_check::check_csrf;
use super::rejection::HttpRejection;
use super::signin;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval};

/// How often a stream checks that its client is still authenticated.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

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

    /// Adds all routes of another set.
    pub fn and(self, other: Self) -> Self {
        self.guarded(other.guarded).open(other.open)
    }

    /// Adds routes for unauthenticated requests: they may explain how to log in, and reveal
    /// nothing about tools.
    pub fn open(mut self, routes: Router) -> Self {
        self.open = self.open.merge(routes);
        self
    }

    /// The routes that require authentication, for requests that are authenticated already.
    pub(crate) fn into_guarded(self) -> Router {
        self.guarded
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
    let session_headers = session.is_some().then(|| head.headers.clone());
    let authenticated = match session {
        Some(principal) => check_csrf(&head).map(|()| principal),
        None => authenticator.auth.authenticate(&head.headers, head.uri.path()).await,
    };
    match authenticated {
        Ok(principal) => {
            if let Some(connection) = head.extensions.remove::<Arc<OpenConnection>>() {
                connection.keep();
            }
            head.extensions.insert(principal.clone());
            let response = next.run(Request::from_parts(head, body)).await;
            let is_stream = response
                .headers()
                .get(CONTENT_TYPE)
                .is_some_and(|value| value == event_stream::MEDIA_TYPE);
            if !is_stream {
                return response;
            }
            let client = StreamClient { authenticator, principal, session_headers };
            response.map(|body| client.stream(body))
        }
        Err(rejection) => {
            drain(body).await;
            rejection.into_response()
        }
    }
}

/// The client of an open stream.
struct StreamClient {
    authenticator: Authenticator,
    principal: Principal,
    /// The headers of the request, if it belongs to the session of a browser.
    session_headers: Option<HeaderMap>,
}

impl StreamClient {
    /// The stream, which ends soon after its client is no longer authenticated: its token was
    /// revoked or has expired, or its session has ended.
    fn stream(self, body: Body) -> Body {
        let mut checks = interval(CHECK_INTERVAL);
        // A client that stops reading needs no check for the time in between.
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let state = (body.into_data_stream(), checks, self);
        Body::from_stream(unfold(state, |(mut body, mut checks, client)| async move {
            loop {
                tokio::select! {
                    biased;
                    _ = checks.tick() => if !client.is_authenticated() {
                        return None;
                    },
                    chunk = body.next() => return Some((chunk?, (body, checks, client))),
                }
            }
        }))
    }

    fn is_authenticated(&self) -> bool {
        let has_session = match (&self.session_headers, &self.authenticator.sign_ins) {
            (Some(headers), Some(sign_ins)) => {
                sign_ins.authenticate(headers, Instant::now()).is_some()
            }
            _ => true,
        };
        has_session && self.authenticator.auth.is_current(&self.principal)
    }
}
