//! MCP over HTTP, both eras at one address.
//!
//! A request of the modern era is self-contained: it names its version, and the response is JSON,
//! or a stream of events if there were messages before the response. The old era starts with
//! `initialize`, which creates a session. In both, closing a stream cancels its request.

mod accept;
mod era;
mod events;
mod headers;
mod identity;
pub(super) mod mirror;
mod parked;
mod post;
mod protocol;
mod queue;
mod respond;
mod session;
mod sessions;

#[cfg(test)]
mod tests;

pub(crate) use identity::forwarded_headers;
pub use protocol::Protocol;

use crate::http::{CancelToken, HttpRejection, Limits, Principal, RequestShares, drain, share_key};
use crate::mcp::SessionInfo;
use accept::Accept;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use events::ResponseStream;
use session::Session;
use sessions::Sessions;
use std::sync::Arc;
use toolscout_core::ShareKey;

/// Returns the server for `/mcp` (none) or `/mcp/<profile>`. The error is the message for an
/// unknown profile.
pub type Servers = Arc<dyn Fn(Option<&str>) -> Result<Arc<dyn Protocol>, String> + Send + Sync>;

/// The `Allow` header of these addresses.
const ALLOWED_METHODS: &str = "GET, POST, DELETE";

const OTHER_PROFILE: &str = "the token is limited to another profile; use `/mcp`";
const NOT_SERVED: &str = "the profile of the token is not served here";

/// MCP over HTTP.
pub struct Endpoint {
    servers: Servers,
    sessions: Arc<Sessions>,
    shares: RequestShares,
    limits: Limits,
    shutdown: CancelToken,
}

/// The server, the profile and the principal of a request.
struct EndpointRequest {
    server: Arc<dyn Protocol>,
    profile: Option<String>,
    principal: Principal,
}

impl Endpoint {
    /// Creates an endpoint for these servers. Streams without an end of their own end with
    /// `shutdown`, which belongs to the listener.
    pub fn new(servers: Servers, limits: Limits, shutdown: CancelToken) -> Arc<Self> {
        Arc::new(Self {
            servers,
            sessions: Sessions::new(&limits),
            shares: RequestShares::new(&limits),
            limits,
            shutdown,
        })
    }

    /// An endpoint for the servers of another project, with its own sessions and the same limits.
    pub fn for_project(&self, servers: Servers) -> Arc<Self> {
        Arc::new(Self {
            servers,
            sessions: Sessions::new(&self.limits),
            shares: self.shares.clone(),
            limits: self.limits.clone(),
            shutdown: self.shutdown.clone(),
        })
    }

    /// The routes `/mcp` and `/mcp/<profile>`. The listener must authenticate requests first.
    pub fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/mcp", any(serve_default))
            .route("/mcp/{profile}", any(serve_profile))
            .with_state(self.clone())
    }

    /// The same routes under the path of a project: `/projects/<id>/mcp`.
    pub fn project_routes(self: &Arc<Self>, id: &str) -> Router {
        Router::new().nest(&format!("/projects/{id}"), self.routes())
    }

    /// The current sessions. Their ids are labels and not credentials.
    pub fn session_infos(&self) -> Vec<SessionInfo> {
        let to_info = |session: &Arc<Session>| SessionInfo {
            owner: session.owner.clone(),
            ..session.client.session_info("mcp")
        };
        self.sessions.all().iter().map(to_info).collect()
    }

    async fn serve(&self, profile: Option<String>, request: Request) -> Result<Response, Response> {
        let principal = request.extensions().get::<Principal>().cloned();
        let principal = principal.ok_or_else(|| {
            HttpRejection::forbidden("the request was not authenticated").into_response()
        })?;
        let admitted = admitted_profile(&principal, profile).and_then(|profile| {
            let server = (self.servers)(profile.as_deref()).map_err(|message| {
                // A token for a profile that is not served gets nothing.
                if principal.profile.is_some() {
                    HttpRejection::forbidden(NOT_SERVED)
                } else {
                    HttpRejection::not_found(message)
                }
            })?;
            Ok((profile, server))
        });
        let (head, body) = request.into_parts();
        let (profile, server) = match admitted {
            Ok(admitted) => admitted,
            Err(rejection) => {
                drain(body).await;
                return Err(rejection.into_response());
            }
        };
        let endpoint_request = EndpointRequest { server, profile, principal };
        match head.method {
            Method::POST => self.post(endpoint_request, &head, body).await,
            Method::GET => {
                self.listen(&endpoint_request, &head).map_err(IntoResponse::into_response)
            }
            Method::DELETE => {
                self.end_session(&endpoint_request, &head).map_err(IntoResponse::into_response)
            }
            _ => Err(HttpRejection::not_allowed(ALLOWED_METHODS, "use POST for MCP requests")
                .into_response()),
        }
    }

    /// The stream of a session for messages that belong to no request.
    fn listen(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
    ) -> Result<Response, HttpRejection> {
        if era::is_modern(&head.headers) {
            return Err(HttpRejection::not_allowed(
                "POST",
                "send `subscriptions/listen` with POST",
            ));
        }
        if !Accept::from_headers(&head.headers).names_events {
            return Err(HttpRejection::not_allowed(
                "POST, DELETE",
                "GET needs `Accept: text/event-stream`",
            ));
        }
        let session = self.session(endpoint_request, head)?;
        if let Some(id) = parked::event_id(&head.headers) {
            let request = session.parked.take(id).ok_or_else(|| {
                HttpRejection::bad_request("the stream of this event was resumed or has expired")
            })?;
            let stream =
                ResponseStream { request, session: Some(session), starts_with_comment: true };
            return Ok(stream.into_response());
        }
        let permit = self
            .shares
            .streams
            .try_acquire(&session.share_key())
            .ok_or_else(|| HttpRejection::busy("too many concurrent streams of this client"))?;
        Ok(events::session_stream(session.acquire(), self.shutdown.clone(), permit))
    }

    fn end_session(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
    ) -> Result<Response, HttpRejection> {
        if era::is_modern(&head.headers) {
            return Err(HttpRejection::not_allowed("POST", "there is no session to end"));
        }
        let session = self.session(endpoint_request, head)?;
        self.sessions.close(&session);
        Ok(Response::new(Body::empty()))
    }

    /// The client that a request is counted for: its session if it has one, or else its address
    /// and the names that it states.
    fn share_key(&self, endpoint_request: &EndpointRequest, head: &Parts) -> ShareKey {
        match self.session(endpoint_request, head) {
            Ok(session) => session.share_key(),
            Err(_) => share_key(&endpoint_request.principal, head),
        }
    }

    /// The session that a request names. It must have the same principal, profile and owner as the
    /// request; otherwise it does not exist for this client.
    fn session(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
    ) -> Result<Arc<Session>, HttpRejection> {
        let mut values = head.headers.get_all(session::HEADER).iter();
        let id = match (values.next(), values.next()) {
            (Some(id), None) => id.to_str().unwrap_or_default(),
            (None, _) => {
                return Err(HttpRejection::bad_request(
                    "`Mcp-Session-Id` is missing; start with `initialize`",
                ));
            }
            (_, Some(_)) => {
                return Err(HttpRejection::bad_request("duplicate `Mcp-Session-Id` header"));
            }
        };
        let session = self.sessions.find(
            id,
            &endpoint_request.principal.name,
            endpoint_request.profile.as_deref(),
        );
        let is_owner = |session: &Arc<Session>| {
            let identity = identity::identity(&endpoint_request.principal, head);
            session.client.identity.token == identity.token
                && endpoint_request.server.may_share_session(&session.client.identity, &identity)
        };
        session.filter(is_owner).ok_or_else(|| {
            HttpRejection::not_found("session not found; start again with `initialize`")
        })
    }
}

/// The profile of a request: the one in its path, unless the token decides.
fn admitted_profile(
    principal: &Principal,
    profile: Option<String>,
) -> Result<Option<String>, HttpRejection> {
    match (principal.profile.as_deref(), profile) {
        (None, profile) => Ok(profile),
        (Some(own), None) => Ok(Some(own.to_owned())),
        (Some(own), Some(profile)) if own == profile => Ok(Some(profile)),
        (Some(_), Some(_)) => Err(HttpRejection::forbidden(OTHER_PROFILE)),
    }
}

async fn serve_default(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    endpoint.serve(None, request).await.unwrap_or_else(|error| error)
}

async fn serve_profile(
    State(endpoint): State<Arc<Endpoint>>,
    Path(profile): Path<String>,
    request: Request,
) -> Response {
    endpoint.serve(Some(profile), request).await.unwrap_or_else(|error| error)
}

/// The response to a message that has no result.
fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}
