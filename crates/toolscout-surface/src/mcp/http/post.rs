//! Processes a message that was sent with POST.

use super::accept::Accept;
use super::era::{self, Era};
use super::identity::identity;
use super::sessions::Sessions;
use super::{Endpoint, Visit, accepted, events, session};
use crate::http::{BodyPermit, ConcurrencyPermit, HttpRejection, drain, read};
use crate::mcp::client::{Client, Identity};
use crate::mcp::errors;
use crate::mcp::message::{self, Incoming, Request};
use crate::mcp::server::{OF_SESSIONS, Reply};
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::collections::VecDeque;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::RpcError;

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
        let (bytes, held) =
            read(body, &self.limits, &self.bodies).await.map_err(IntoResponse::into_response)?;
        let incoming = message::read(&bytes).map_err(|it| faulty(it.id.as_ref(), &it.error))?;
        drop(bytes);
        let era = era::detect(&head.headers, &incoming)
            .map_err(|error| bad_request(request_id(&incoming), &error))?;
        match era {
            Era::Modern => self.post_modern(visit, head, accept, incoming, held).await,
            Era::Legacy => self.post_legacy(visit, head, accept, incoming, held).await,
        }
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
        let pass = self.enter(&visit, is_endless).ok_or_else(|| busy(request))?;
        let back = Back::new(accept, None);
        let client = Client::for_one(identity(&visit.principal, head), back.out());
        let mut taking = visit.server.take(client.clone(), incoming, back.out());
        let ending = is_endless.then(|| self.ending.clone());
        let reply = Box::pin(async move {
            let _permits = (permit, body_permit);
            tokio::select! {
                biased;
                reply = &mut handling => return reply,
                () = events::cancelled(shutdown.as_ref()) => client.disconnect(),
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
                let pass = self.enter(&visit, false).ok_or_else(|| busy(request))?;
                let identity = identity(&visit.principal, head);
                if let Some(refused) = too_long(&identity, request) {
                    return Err(refused);
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
        let pass = match request {
            Some(request) => Some(self.enter(&visit, false).ok_or_else(|| busy(request))?),
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
        Ok(back.answer(reply).await)
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
        let client = Client::new(identity, queue.clone());
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
            let EndpointRequest { server, profile, principal } = endpoint_request;
            let session = self.sessions.start(server, principal.name, profile, client, queue);
            let session = session
                .ok_or_else(|| HttpRejection::busy("too many sessions in use").into_response())?;
            response.headers_mut().insert(session::HEADER, session.header());
        }
        Ok(response)
    }

    fn enter(&self, visit: &Visit, is_endless: bool) -> Option<ConcurrencyPermit> {
        let gate = if is_endless { &self.streams } else { &self.requests };
        gate.enter(&visit.principal.name)
    }
}

/// Limits the size of `initialize`, because a session keeps its headers and parameters for its
/// whole life.
fn check_initialize_size(identity: &Identity, request: &Request) -> Option<Response> {
    let headers = identity.headers.iter().flat_map(|header| header.iter());
    let headers: usize = headers.map(|(name, value)| name.len() + value.len()).sum();
    if headers > MAX_INITIALIZE_HEADER_BYTES {
        let message = format!(
            "the headers of the session are larger than {MAX_INITIALIZE_HEADER_BYTES} bytes"
        );
        return Some(
            HttpRejection::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message)
                .into_response(),
        );
    }
    request.params.as_ref().filter(|params| params.as_str().len() > MAX_INITIALIZE_BYTES)?;
    let message = format!("`initialize` is larger than {MAX_INITIALIZE_BYTES} bytes");
    Some(bad_request(Some(&request.id), &RpcError::new(RpcError::PARAMS, message)))
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
    let accept = Accept::of(headers);
    match accept.is_nothing() {
        false => Ok(accept),
        true => Err(HttpRejection::new(
            StatusCode::NOT_ACCEPTABLE,
            "answers are `application/json` or `text/event-stream`; accept both",
        )),
    }
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
