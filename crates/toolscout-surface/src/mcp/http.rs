//! MCP over HTTP, both eras at one address.
//!
//! A request of the modern era is self-contained: it names its version, and the response is JSON,
//! or a stream of events if there were messages before the response. The old era starts with
//! `initialize`, which creates a session. In both, closing a stream cancels its request.

mod accept;
mod envelope;
mod era;
mod events;
mod fleet;
mod forward;
mod forwarded;
mod headers;
mod identity;
pub(super) mod mirror;
mod parked;
mod post;
mod protocol;
mod queue;
mod replica_call;
mod respond;
mod sealed_session;
mod session;
mod sessions;

#[cfg(test)]
mod tests;

pub use fleet::{FleetSessions, Replica, Replicas};
pub(crate) use identity::forwarded_headers;
pub use protocol::Protocol;
pub use replica_call::{ReplicaCallError, ReplicaCallHandler};

use crate::http::{CancelToken, HttpRejection, Limits, Principal, RequestShares, drain, share_key};
use crate::mcp::client::{Client, Identity};
use crate::mcp::{Outlet, SessionInfo};
use accept::Accept;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use events::ResponseStream;
use forward::Forwarding;
use forwarded::Forwarded;
use serde_json::json;
use session::{Session, SessionPlace};
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
    /// The project, which sessions are bound to.
    project: Arc<str>,
    sessions: Arc<Sessions>,
    /// The other replicas of the fleet, if this is one of them.
    fleet: Option<Arc<FleetSessions>>,
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
    /// `shutdown`, which belongs to the listener. In a fleet, any replica continues the sessions of
    /// the others.
    pub fn new(
        servers: Servers,
        limits: Limits,
        shutdown: CancelToken,
        fleet: Option<Arc<FleetSessions>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            servers,
            project: "".into(),
            sessions: Sessions::new(&limits),
            fleet,
            shares: RequestShares::new(&limits),
            limits,
            shutdown,
        })
    }

    /// An endpoint for the servers of another project, with its own sessions and the same limits.
    pub fn for_project(&self, id: &str, servers: Servers) -> Arc<Self> {
        Arc::new(Self {
            servers,
            project: id.into(),
            fleet: self.fleet.clone(),
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

    /// Ends the sessions that their clients have ended on other replicas.
    pub fn close_ended_sessions(&self) {
        let Some(fleet) = &self.fleet else { return };
        let all = self.sessions.all();
        let ended = all.iter().filter(|session| fleet.replicas.is_ended(&session.id));
        ended.for_each(|session| self.sessions.close(session));
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
                self.listen(&endpoint_request, &head).await.map_err(IntoResponse::into_response)
            }
            Method::DELETE => {
                let ended = self.end_session(&endpoint_request, &head).await;
                ended.map_err(IntoResponse::into_response)
            }
            _ => Err(HttpRejection::not_allowed(ALLOWED_METHODS, "use POST for MCP requests")
                .into_response()),
        }
    }

    /// The stream of a session for messages that belong to no request.
    async fn listen(
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
        let event_id = parked::event_id(&head.headers);
        if let Some(forwarding) = self.forwarding(endpoint_request, head, &[]) {
            let own = forwarding.fleet.replicas.own_id();
            match event_id.map(|id| parked::parking_replica(id).unwrap_or(&own)) {
                Some(replica) if replica == &*own => {}
                Some(replica) => return Ok(forwarding.send(replica).await?),
                None => {
                    if let Some(response) = forwarding.to_home(&session).await {
                        return Ok(response);
                    }
                }
            }
        }
        if let Some(id) = event_id {
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

    async fn end_session(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
    ) -> Result<Response, HttpRejection> {
        if era::is_modern(&head.headers) {
            return Err(HttpRejection::not_allowed("POST", "there is no session to end"));
        }
        let session = self.session(endpoint_request, head)?;
        self.sessions.close(&session);
        if let Some(fleet) = &self.fleet {
            let ended = fleet.replicas.clone().end(&session.id, fleet.last_expiry()).await;
            let status = StatusCode::SERVICE_UNAVAILABLE;
            ended.map_err(|message| HttpRejection::new(status, message))?;
        }
        Ok(Response::new(Body::empty()))
    }

    /// The way to the other replicas; none without a fleet, and for a request that another replica
    /// has forwarded.
    fn forwarding<'a>(
        &'a self,
        request: &'a EndpointRequest,
        head: &'a Parts,
        body: &'a [u8],
    ) -> Option<Forwarding<'a>> {
        let fleet = self.fleet.as_ref().filter(|_| !is_forwarded(head))?;
        Some(Forwarding { fleet, principal: &request.principal, head, body })
    }

    /// A client of a session that starts now.
    fn new_client(&self, identity: Identity, out: Arc<dyn Outlet>) -> Arc<Client> {
        match &self.fleet {
            Some(fleet) => Client::of_replica(identity, out, None, fleet.replicas.own_id()),
            None => Client::new(identity, out),
        }
    }

    /// The id of a new session of this client.
    fn new_session_id(&self, request: &EndpointRequest, client: &Client) -> Option<Arc<str>> {
        match &self.fleet {
            Some(fleet) => fleet.new_id(client, &self.session_binding(request, &client.identity)),
            None => self.sessions.new_id(),
        }
    }

    /// What the id of a session is bound to: with another token, user, profile or project it is not
    /// valid.
    fn session_binding(&self, request: &EndpointRequest, identity: &Identity) -> String {
        let EndpointRequest { server, profile, principal } = request;
        json!([
            &*self.project,
            profile,
            principal.name.as_deref(),
            identity.token.as_deref(),
            server.session_owner(identity).as_deref(),
        ])
        .to_string()
    }

    /// Continues a session that another replica, or this one before a restart, has started.
    fn continue_session(
        &self,
        request: &EndpointRequest,
        head: &Parts,
        id: &str,
    ) -> Result<Option<Arc<Session>>, HttpRejection> {
        let Some(fleet) = &self.fleet else { return Ok(None) };
        let identity = identity::identity(&request.principal, head);
        let Some(sealed) = fleet.open_id(id, &self.session_binding(request, &identity)) else {
            return Ok(None);
        };
        if let Some(rejection) = post::check_header_size(&identity) {
            return Err(rejection);
        }
        let (queue, own) = (Sessions::queue(), fleet.replicas.own_id());
        let client =
            Client::of_replica(identity, queue.clone(), Some(sealed.label.clone()), own.clone());
        client.initialize(sealed.version, sealed.name.clone(), Some(sealed.capabilities()));
        let place =
            SessionPlace { origin: Some(sealed.replica.as_str().into()), replica: Some(own) };
        let EndpointRequest { server, profile, principal } = request;
        let owner = principal.name.clone();
        let session = Session::new(id.into(), owner, profile.clone(), client, queue, place);
        let session = self.sessions.start(server.clone(), session);
        session.map(Some).ok_or_else(|| HttpRejection::busy("too many sessions in use"))
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
        let not_found =
            || HttpRejection::not_found("session not found; start again with `initialize`");
        if self.fleet.as_ref().is_some_and(|fleet| fleet.replicas.is_ended(id)) {
            return Err(not_found());
        }
        let session = self.sessions.find(
            id,
            &endpoint_request.principal.name,
            endpoint_request.profile.as_deref(),
        );
        let is_owner = |session: &Arc<Session>| {
            let identity = identity::identity(&endpoint_request.principal, head);
            let owner = |identity: &Identity| endpoint_request.server.session_owner(identity);
            session.client.identity.token == identity.token
                && owner(&session.client.identity) == owner(&identity)
        };
        match session {
            Some(session) => Some(session).filter(is_owner),
            None => self.continue_session(endpoint_request, head, id)?,
        }
        .ok_or_else(not_found)
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

/// Whether another replica has forwarded this request.
fn is_forwarded(head: &Parts) -> bool {
    head.extensions.get::<Forwarded>().is_some()
}

/// The response to a message that has no result.
fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}
