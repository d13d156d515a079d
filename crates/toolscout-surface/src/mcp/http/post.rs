//! Processes a message that was sent with POST.

use super::accept::Accept;
use super::answer::{Back, plain};
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
const GREETING: usize = 12 << 10;
/// Maximum size in bytes of the headers of `initialize`.
const GREETING_HEADERS: usize = 12 << 10;

impl Endpoint {
    pub(super) async fn post(
        &self,
        visit: Visit,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Response> {
        let accept = match check_form(&head.headers) {
            Ok(accept) => accept,
            Err(refusal) => {
                drain(body).await;
                return Err(refusal.into_response());
            }
        };
        let (bytes, held) =
            read(body, &self.limits, &self.bodies).await.map_err(IntoResponse::into_response)?;
        let incoming = message::read(&bytes).map_err(|it| faulty(it.id.as_ref(), &it.error))?;
        drop(bytes);
        let era =
            era::of(&head.headers, &incoming).map_err(|fault| faulty(id_of(&incoming), &fault))?;
        match era {
            Era::Modern => self.post_modern(visit, head, accept, incoming, held).await,
            Era::Legacy => self.post_legacy(visit, head, accept, incoming, held).await,
        }
    }

    async fn post_modern(
        &self,
        visit: Visit,
        head: &Parts,
        accept: Accept,
        incoming: Incoming,
        held: BodyPermit,
    ) -> Result<Response, Response> {
        let request = match &incoming {
            Incoming::Request(request) => request,
            // No notification of the modern era needs an action.
            Incoming::Notification { .. } => return Ok(accepted()),
            Incoming::Response { .. } => {
                return Err(HttpRejection::bad_request("nothing was asked").into_response());
            }
        };
        era::check_headers(&head.headers, request)
            .map_err(|fault| faulty(Some(&request.id), &fault))?;
        // The modern era has no sessions, so it has no methods of sessions either.
        if request.method == "initialize" || OF_SESSIONS.contains(&request.method.as_str()) {
            let reply = Reply::error(Some(&request.id), &RpcError::unknown_method(&request.method));
            return Err(plain(StatusCode::NOT_FOUND, reply.text));
        }
        let is_endless = request.method == "subscriptions/listen";
        let pass = self.enter(&visit, is_endless).ok_or_else(|| busy(request))?;
        let back = Back::new(accept, None);
        let client = Client::for_one(identity(&visit.principal, head), back.out());
        let mut taking = visit.server.take(client.clone(), incoming, back.out());
        let ending = is_endless.then(|| self.ending.clone());
        let reply = Box::pin(async move {
            let _keeping = (pass, held);
            tokio::select! {
                biased;
                reply = &mut taking => return reply,
                () = events::over(ending.as_ref()) => client.leave(),
            }
            taking.await
        });
        Ok(back.answer(reply).await)
    }

    async fn post_legacy(
        &self,
        visit: Visit,
        head: &Parts,
        accept: Accept,
        incoming: Incoming,
        held: BodyPermit,
    ) -> Result<Response, Response> {
        let request = match &incoming {
            Incoming::Request(request) if request.method == "initialize" => {
                let pass = self.enter(&visit, false).ok_or_else(|| busy(request))?;
                let identity = identity(&visit.principal, head);
                if let Some(refused) = too_long(&identity, request) {
                    return Err(refused);
                }
                return self.greet(visit, identity, accept, incoming, (pass, held)).await;
            }
            Incoming::Request(request) => Some(request),
            _ => None,
        };
        let session = self.session(&visit, head).map_err(IntoResponse::into_response)?;
        let visiting = session.visit();
        // A response to this server, or a cancellation, must get through even under overload.
        let pass = match request {
            Some(request) => Some(self.enter(&visit, false).ok_or_else(|| busy(request))?),
            None => None,
        };
        let is_request = request.is_some();
        let back = Back::new(accept, Some(session.ending()));
        let taking = visit.server.take(session.client.clone(), incoming, back.out());
        let reply = Box::pin(async move {
            let _keeping = (pass, held, visiting);
            taking.await
        });
        if !is_request {
            reply.await;
            return Ok(accepted());
        }
        Ok(back.answer(reply).await)
    }

    /// `initialize`: creates a session if it succeeds.
    async fn greet(
        &self,
        visit: Visit,
        identity: Identity,
        accept: Accept,
        incoming: Incoming,
        keeping: (ConcurrencyPermit, BodyPermit),
    ) -> Result<Response, Response> {
        let queue = Sessions::queue();
        let client = Client::new(identity, queue.clone());
        let reply = visit.server.clone().take(client.clone(), incoming, queue.clone()).await;
        drop(keeping);
        let Some(reply) = reply else { return Ok(events::nothing()) };
        let is_greeted = reply.code.is_none();
        let mut response = match accept.json {
            true => plain(StatusCode::OK, reply.text),
            false => events::all(VecDeque::new(), reply),
        };
        if is_greeted {
            let Visit { server, profile, principal } = visit;
            let session = self.sessions.begin(server, principal.name, profile, client, queue);
            let session = session.ok_or_else(|| {
                HttpRejection::busy("there are too many sessions").into_response()
            })?;
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
fn too_long(identity: &Identity, request: &Request) -> Option<Response> {
    let headers = identity.headers.iter().flat_map(|it| it.iter());
    let headers: usize = headers.map(|(name, value)| name.len() + value.len()).sum();
    if headers > GREETING_HEADERS {
        let words = format!("the headers of a session may have {GREETING_HEADERS} bytes at most");
        return Some(
            HttpRejection::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, words).into_response(),
        );
    }
    request.params.as_ref().filter(|it| it.as_str().len() > GREETING)?;
    let words = format!("`initialize` may have {GREETING} bytes at most");
    Some(faulty(Some(&request.id), &RpcError::new(RpcError::PARAMS, words)))
}

fn busy(request: &Request) -> Response {
    let reply = Reply::error(
        Some(&request.id),
        &errors::busy("there is too much to do; try again in a second"),
    );
    let mut response = plain(StatusCode::TOO_MANY_REQUESTS, reply.text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Checks the content type and encoding of a request, and reads which media types the client
/// accepts.
fn check_form(headers: &HeaderMap) -> Result<Accept, HttpRejection> {
    let unsupported = |words| HttpRejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words);
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let is_json = match (kinds.next(), kinds.next()) {
        (Some(kind), None) => kind.to_str().is_ok_and(is_json),
        _ => false,
    };
    if !is_json {
        return Err(unsupported("send `Content-Type: application/json`"));
    }
    if headers.get_all(CONTENT_ENCODING).iter().any(|it| it != "identity") {
        return Err(unsupported("send it as it is, not compressed"));
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
    let is_json = parts.next().is_some_and(|it| it.eq_ignore_ascii_case("application/json"));
    let is_utf8 = |it: &str| match it.split_once('=') {
        Some((key, value)) if key.trim().eq_ignore_ascii_case("charset") => {
            ["utf-8", "\"utf-8\"", "utf8"].iter().any(|it| value.trim().eq_ignore_ascii_case(it))
        }
        _ => true,
    };
    is_json && parts.all(is_utf8)
}

fn faulty(id: Option<&RawJson>, fault: &RpcError) -> Response {
    plain(StatusCode::BAD_REQUEST, Reply::error(id, fault).text)
}

fn id_of(incoming: &Incoming) -> Option<&RawJson> {
    match incoming {
        Incoming::Request(request) => Some(&request.id),
        _ => None,
    }
}
