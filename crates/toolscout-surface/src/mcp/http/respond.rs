//! Responds to a request: with JSON, or with a stream of events if there are messages before the
//! response.

use super::accept::Accept;
use super::events::{self, ResponseStream};
use super::parked::UnfinishedRequest;
use super::queue::{DiscardOutlet, Queue, QueueCapacity};
use super::session::Session;
use crate::http::event_stream::response;
use crate::mcp::client::Outlet;
use crate::mcp::errors;
use crate::mcp::server::Reply;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;
use toolscout_core::BoxFuture;
use toolscout_core::jsonrpc::RpcError;

/// Without any message for this long, the stream is started, so that no proxy treats the request as
/// dead.
const STREAM_AFTER: Duration = Duration::from_secs(20);
/// The client lacks a capability that the request needs.
const MISSING_CAPABILITY: i64 = -32021;

/// The way back to the client that sent a request.
pub(super) struct Responder {
    accept: Accept,
    queue: Arc<Queue>,
    /// Ends with the session that the request belongs to, in the old era. The requests of a session
    /// end with it.
    session: Option<Arc<Session>>,
}

impl Responder {
    pub(super) fn new(accept: Accept, session: Option<Arc<Session>>) -> Self {
        Self { accept, queue: Queue::new(QueueCapacity::REQUEST), session }
    }

    /// The outlet for messages before the response. It discards them if the client accepts no
    /// events.
    pub(super) fn out(&self) -> Arc<dyn Outlet> {
        if self.accept.events { self.queue.clone() } else { Arc::new(DiscardOutlet) }
    }

    /// Responds with the result of `reply`. Dropping this future, or the body of the response,
    /// drops `reply`.
    pub(super) async fn respond(self, mut reply: BoxFuture<'static, Option<Reply>>) -> Response {
        let polls = self.session.as_ref().filter(|_| self.accept.events);
        let (starts_with_comment, retry) = tokio::select! {
            biased;
            reply = &mut reply => return self.immediate_response(reply),
            () = self.queue.wait_until(|| !self.queue.is_empty()) => (false, None),
            () = events::ended(self.session.as_ref()) => return events::empty(),
            retry = events::suspension(polls, &self.queue) => (false, Some(retry)),
            () = sleep(STREAM_AFTER), if self.accept.events => (true, None),
        };
        let mut work = JoinSet::new();
        work.spawn(reply);
        let request = UnfinishedRequest { queue: self.queue, work };
        let stream = ResponseStream { request, session: self.session, starts_with_comment };
        match retry {
            Some(retry) => response(Body::from(stream.suspend(retry))),
            None => stream.into_response(),
        }
    }

    fn immediate_response(self, reply: Option<Reply>) -> Response {
        // The request was cancelled by the client, which expects no response.
        let Some(reply) = reply else { return events::empty() };
        match self.queue.take() {
            Some(texts) => events::complete(texts, reply),
            None if !self.accept.json => events::complete(VecDeque::new(), reply),
            None => json_response(status(&reply, self.session.is_none()), reply.text),
        }
    }
}

/// A response with one message as JSON.
pub(super) fn json_response(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The HTTP status of a response. The old era reports protocol errors only in the body; the modern
/// era reports some of them in the status as well.
fn status(reply: &Reply, is_modern: bool) -> StatusCode {
    match reply.code {
        Some(RpcError::METHOD) if is_modern => StatusCode::NOT_FOUND,
        Some(errors::HEADERS | errors::VERSION | MISSING_CAPABILITY | RpcError::REQUEST)
            if is_modern =>
        {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}
