//! Processes a message that was sent with POST.

use super::accept::Accept;
use super::era::{self, Era};
use super::identity::identity;
use super::respond::{Responder, json_response};
use super::session::{Session, SessionPlace};
use super::sessions::Sessions;
use super::{Endpoint, EndpointRequest, accepted, events, is_forwarded, session};
use crate::http::{HttpRejection, cancelled, drain, read, share_key};
use crate::mcp::batch;
use crate::mcp::client::{Client, ClientInfo, Identity};
use crate::mcp::errors;
use crate::mcp::message::{self, Incoming, Request, Unreadable};
use crate::mcp::server::{Reply, SESSION_METHODS};
use crate::mcp::version::Version;
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::{BoxFuture, RawJson, ShareKey, SharePermit};

/// Maximum size in bytes of the parameters of `initialize`.
const MAX_INITIALIZE_BYTES: usize = 12 << 10;
/// Maximum size in bytes of the headers of `initialize`.
const MAX_INITIALIZE_HEADER_BYTES: usize = 12 << 10;

impl Endpoint {
    pub(super) async fn post(
        &self,
        endpoint_request: EndpointRequest,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Response> {
        let accept = match check_content(&head.headers) {
            Ok(accept) => accept,
            Err(rejection) => {
                drain(body).await;
                return Err(rejection.into_response());
            }
        };
        let key = self.share_key(&endpoint_request, head);
        let body_permit = self.shares.bodies.empty_permit(&key);
        let (bytes, body_permit) =
            read(body, &self.limits, body_permit).await.map_err(IntoResponse::into_response)?;
        if let Some(batch) = message::parse_batch(&bytes)
            && let Ok(session) = self.session(&endpoint_request, head)
            && session.client.version().is_some_and(Version::has_batches)
        {
            return self.post_batch(endpoint_request, session, accept, batch, body_permit).await;
        }
        let incoming =
            message::parse(&bytes).map_err(|error| bad_request(error.id.as_ref(), &error.error))?;
        let era = era::detect(&head.headers, &incoming)
            .map_err(|error| bad_request(request_id(&incoming), &error))?;
        if let Some(response) =
            self.forward(&endpoint_request, head, &incoming, &era, &bytes).await?
        {
            return Ok(response);
        }
        drop(bytes);
        match era {
            Era::Modern => {
                self.post_modern(endpoint_request, head, accept, incoming, body_permit).await
            }
            Era::Legacy => {
                self.post_legacy(endpoint_request, head, accept, incoming, body_permit).await
            }
        }
    }

    /// The response of another replica; none if this one has to process the message.
    async fn forward(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
        incoming: &Incoming,
        era: &Era,
        bytes: &[u8],
    ) -> Result<Option<Response>, Response> {
        let Some(forwarding) = self.forwarding(endpoint_request, head, bytes) else {
            return Ok(self.cancelled_elsewhere(endpoint_request, head, incoming));
        };
        if matches!(incoming, Incoming::Request(request) if request.method == "initialize") {
            return Ok(None);
        }
        let session = match era {
            Era::Modern => None,
            Era::Legacy => {
                let session = self.session(endpoint_request, head);
                Some(session.map_err(IntoResponse::into_response)?)
            }
        };
        let target = forwarding.fleet.target(incoming, session.as_deref());
        Ok(forwarding.to_target(target, session.as_deref()).await)
    }

    /// The response to a cancellation that every replica gets: one that does not have the session
    /// does not continue it for that.
    fn cancelled_elsewhere(
        &self,
        endpoint_request: &EndpointRequest,
        head: &Parts,
        incoming: &Incoming,
    ) -> Option<Response> {
        let EndpointRequest { profile, principal, .. } = endpoint_request;
        let id = head.headers.get(session::HEADER)?.to_str().ok()?;
        let is_elsewhere = is_forwarded(head)
            && matches!(incoming, Incoming::Notification { .. })
            && self.sessions.find(id, &principal.name, profile.as_deref()).is_none();
        is_elsewhere.then(accepted)
    }

    async fn post_modern(
        &self,
        endpoint_request: EndpointRequest,
        head: &Parts,
        accept: Accept,
        incoming: Incoming,
        body_permit: SharePermit,
    ) -> Result<Response, Response> {
        let request = match &incoming {
            Incoming::Request(request) => request,
            // No notification of the modern era needs an action.
            Incoming::Notification { .. } => return Ok(accepted()),
            Incoming::Response { .. } => {
                return Err(HttpRejection::bad_request(
                    "unexpected response: no request is pending",
                )
                .into_response());
            }
        };
        era::check_headers(&head.headers, request)
            .map_err(|error| bad_request(Some(&request.id), &error))?;
        // The modern era has no sessions, so it has no methods of sessions either.
        if request.method == "initialize" || SESSION_METHODS.contains(&request.method.as_str()) {
            let reply = Reply::error(Some(&request.id), &RpcError::unknown_method(&request.method));
            return Err(json_response(StatusCode::NOT_FOUND, reply.text));
        }
        let is_endless = request.method == "subscriptions/listen";
        let shares = if is_endless { &self.shares.streams } else { &self.shares.requests };
        let key = named_key(share_key(&endpoint_request.principal, head), request);
        let permit = shares.try_acquire(&key).ok_or_else(|| busy(request))?;
        let responder = Responder::new(accept, None);
        let client =
            Client::for_request(identity(&endpoint_request.principal, head), responder.out());
        let mut handling =
            endpoint_request.server.handle(client.clone(), incoming, responder.out());
        let shutdown = is_endless.then(|| self.shutdown.clone());
        let reply = Box::pin(async move {
            let _permits = (permit, body_permit);
            tokio::select! {
                biased;
                reply = &mut handling => return reply,
                () = cancelled(shutdown.as_ref()) => client.disconnect(),
            }
            handling.await
        });
        Ok(responder.respond(reply).await)
    }

    async fn post_legacy(
        &self,
        endpoint_request: EndpointRequest,
        head: &Parts,
        accept: Accept,
        incoming: Incoming,
        body_permit: SharePermit,
    ) -> Result<Response, Response> {
        let request = match &incoming {
            Incoming::Request(request) if request.method == "initialize" => {
                let key = share_key(&endpoint_request.principal, head);
                let permit = self.shares.requests.try_acquire(&key);
                let permit = permit.ok_or_else(|| busy(request))?;
                let identity = identity(&endpoint_request.principal, head);
                if let Some(rejection) = check_initialize_size(&identity, request) {
                    return Err(rejection);
                }
                return self
                    .initialize(endpoint_request, identity, accept, incoming, (permit, body_permit))
                    .await;
            }
            Incoming::Request(request) => Some(request),
            _ => None,
        };
        let session = self.session(&endpoint_request, head).map_err(IntoResponse::into_response)?;
        let guard = session.acquire();
        // A response to this server, or a cancellation, must get through even under overload.
        let permit = match request {
            Some(request) => {
                let permit = self.shares.requests.try_acquire(&session.share_key());
                Some(permit.ok_or_else(|| busy(request))?)
            }
            None => None,
        };
        let is_request = request.is_some();
        let responder = Responder::new(accept, Some(session.clone()));
        let handling =
            endpoint_request.server.handle(session.client.clone(), incoming, responder.out());
        let reply = Box::pin(async move {
            let _permits = (permit, body_permit, guard);
            handling.await
        });
        if !is_request {
            reply.await;
            return Ok(accepted());
        }
        Ok(responder.respond(reply).await)
    }

    /// A batch of a client of the one revision that has batches.
    async fn post_batch(
        &self,
        endpoint_request: EndpointRequest,
        session: Arc<Session>,
        accept: Accept,
        batch: Vec<Result<Incoming, Unreadable>>,
        body_permit: SharePermit,
    ) -> Result<Response, Response> {
        let is_request =
            |message: &Result<Incoming, _>| matches!(message, Ok(Incoming::Request(_)) | Err(_));
        let has_request = batch.iter().any(is_request);
        let key = session.share_key();
        if has_request && self.shares.requests.try_acquire(&key).is_none() {
            let busy = HttpRejection::busy("too many concurrent requests of this client");
            return Err(busy.into_response());
        }
        let guard = session.acquire();
        let responder = Responder::new(accept, Some(session.clone()));
        let (server, client, out) =
            (endpoint_request.server, session.client.clone(), responder.out());
        let requests = self.shares.requests.clone();
        let reply: BoxFuture<'static, Option<Reply>> = Box::pin(async move {
            let _permits = (body_permit, guard);
            // Each request of the batch waits for a place of its own.
            let handle = async |incoming: Incoming| {
                let is_request = matches!(incoming, Incoming::Request(_));
                let _permit = if is_request { Some(requests.acquire(&key).await) } else { None };
                server.clone().handle(client.clone(), incoming, out.clone()).await
            };
            batch::respond(batch, handle).await
        });
        if !has_request {
            reply.await;
            return Ok(accepted());
        }
        Ok(responder.respond(reply).await)
    }

    /// `initialize`: creates a session if it succeeds.
    async fn initialize(
        &self,
        endpoint_request: EndpointRequest,
        identity: Identity,
        accept: Accept,
        incoming: Incoming,
        permits: (SharePermit, SharePermit),
    ) -> Result<Response, Response> {
        let queue = Sessions::queue();
        let client = self.new_client(identity, queue.clone());
        let reply =
            endpoint_request.server.clone().handle(client.clone(), incoming, queue.clone()).await;
        drop(permits);
        let Some(reply) = reply else { return Ok(events::empty()) };
        let is_initialized = reply.code.is_none();
        let mut response = if accept.json {
            json_response(StatusCode::OK, reply.text)
        } else {
            events::complete(VecDeque::new(), reply)
        };
        if is_initialized {
            let session = self.new_session_id(&endpoint_request, &client).and_then(|id| {
                let EndpointRequest { server, profile, principal } = endpoint_request;
                let replica = self.fleet.as_ref().map(|fleet| fleet.replicas.own_id());
                let place = SessionPlace { origin: replica.clone(), replica };
                let session = Session::new(id, principal.name, profile, client, queue, place);
                self.sessions.start(server, session)
            });
            let session = session
                .ok_or_else(|| HttpRejection::busy("too many sessions in use").into_response())?;
            response.headers_mut().insert(session::HEADER, session.header());
        }
        Ok(response)
    }
}

/// The client of a modern request, which states its name.
fn named_key(key: ShareKey, request: &Request) -> ShareKey {
    let params = request.params.as_ref();
    let parsed =
        params.and_then(|params| serde_json::from_str::<NamedParams>(params.as_str()).ok());
    match parsed.and_then(|parsed| parsed.meta?.client?.name()) {
        Some(name) => {
            let client = key.client.as_deref().unwrap_or_default();
            ShareKey { client: Some(format!("{client} {name}").into()), ..key }
        }
        None => key,
    }
}

/// The part of the parameters that names the client.
#[derive(Deserialize)]
struct NamedParams {
    #[serde(rename = "_meta")]
    meta: Option<NamedMeta>,
}

#[derive(Deserialize)]
struct NamedMeta {
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<ClientInfo>,
}

/// Limits the size of `initialize`, because a session keeps its headers and parameters for its
/// whole life.
fn check_initialize_size(identity: &Identity, request: &Request) -> Option<Response> {
    if let Some(rejection) = check_header_size(identity) {
        return Some(rejection.into_response());
    }
    request.params.as_ref().filter(|params| params.as_str().len() > MAX_INITIALIZE_BYTES)?;
    let message = format!("`initialize` is larger than {MAX_INITIALIZE_BYTES} bytes");
    Some(bad_request(Some(&request.id), &RpcError::new(RpcError::PARAMS, message)))
}

/// Limits the size of the headers that a session keeps.
pub(super) fn check_header_size(identity: &Identity) -> Option<HttpRejection> {
    let headers = identity.headers.iter().flat_map(|header| header.iter());
    let headers: usize = headers.map(|(name, value)| name.len() + value.len()).sum();
    let message =
        format!("the headers of the session are larger than {MAX_INITIALIZE_HEADER_BYTES} bytes");
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    (headers > MAX_INITIALIZE_HEADER_BYTES).then(|| HttpRejection::new(status, message))
}

fn busy(request: &Request) -> Response {
    let reply = Reply::error(
        Some(&request.id),
        &errors::busy("busy, retry after 1 s: too many concurrent requests of this client"),
    );
    let mut response = json_response(StatusCode::TOO_MANY_REQUESTS, reply.text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Checks the content type and encoding of a request, and reads which media types the client
/// accepts.
fn check_content(headers: &HeaderMap) -> Result<Accept, HttpRejection> {
    let unsupported = |message| HttpRejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let is_json = match (kinds.next(), kinds.next()) {
        (Some(kind), None) => kind.to_str().is_ok_and(is_json),
        _ => false,
    };
    if !is_json {
        return Err(unsupported("send `Content-Type: application/json`"));
    }
    if headers.get_all(CONTENT_ENCODING).iter().any(|item| item != "identity") {
        return Err(unsupported("compressed request bodies are not supported"));
    }
    let accept = Accept::from_headers(headers);
    if accept.is_empty() {
        return Err(HttpRejection::new(
            StatusCode::NOT_ACCEPTABLE,
            "responses are `application/json` or `text/event-stream`; accept both",
        ));
    }
    Ok(accept)
}

fn is_json(kind: &str) -> bool {
    let mut parts = kind.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|part| part.eq_ignore_ascii_case("application/json"));
    let is_utf8 = |text: &str| match text.split_once('=') {
        Some((key, value)) if key.trim().eq_ignore_ascii_case("charset") => {
            ["utf-8", "\"utf-8\"", "utf8"]
                .iter()
                .any(|item| value.trim().eq_ignore_ascii_case(item))
        }
        _ => true,
    };
    is_json && parts.all(is_utf8)
}

fn bad_request(id: Option<&RawJson>, error: &RpcError) -> Response {
    json_response(StatusCode::BAD_REQUEST, Reply::error(id, error).text)
}

fn request_id(incoming: &Incoming) -> Option<&RawJson> {
    match incoming {
        Incoming::Request(request) => Some(&request.id),
        _ => None,
    }
}
