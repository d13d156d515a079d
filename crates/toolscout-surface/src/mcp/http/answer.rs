//! Lets a request be answered: with JSON where nothing was said on the way, with a stream of events where something was.

use super::accept::Accept;
use super::events::{self, Answering};
use super::queue::{Nowhere, Queue, Room};
use crate::http::CancelToken;
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

/// After so long without a word the stream is begun, so that nobody in between takes the request for dead.
const PATIENCE: Duration = Duration::from_secs(20);
/// The client lacks what the request needs.
const CAPABILITY: i64 = -32021;

/// The way back to whoever made a request.
pub(super) struct Back {
    accept: Accept,
    queue: Arc<Queue>,
    /// The session it belongs to, in the old era: what is asked in it ends with it.
    session: Option<CancelToken>,
}

impl Back {
    pub(super) fn new(accept: Accept, session: Option<CancelToken>) -> Self {
        Self { accept, queue: Queue::new(Room::REQUEST), session }
    }

    /// Takes what is said on the way, if they can.
    pub(super) fn out(&self) -> Arc<dyn Outlet> {
        match self.accept.events {
            true => self.queue.clone(),
            false => Arc::new(Nowhere),
        }
    }

    /// Answers with what comes of `reply`. Dropping this, or the body of what it gives, drops `reply`.
    pub(super) async fn answer(self, mut reply: BoxFuture<'static, Option<Reply>>) -> Response {
        let is_quiet_first = tokio::select! {
            biased;
            reply = &mut reply => return self.answered(reply),
            () = self.queue.until(|| !self.queue.is_empty()) => false,
            () = events::over(self.session.as_ref()) => return events::nothing(),
            () = sleep(PATIENCE), if self.accept.events => true,
        };
        let mut work = JoinSet::new();
        work.spawn(reply);
        Answering { queue: self.queue, work, session: self.session, is_quiet_first }.into_response()
    }

    fn answered(self, reply: Option<Reply>) -> Response {
        // Cancelled: whoever asked knows.
        let Some(reply) = reply else { return events::nothing() };
        match self.queue.take() {
            Some(texts) => events::all(texts, reply),
            None if !self.accept.json => events::all(VecDeque::new(), reply),
            None => plain(status(&reply, self.session.is_none()), reply.text),
        }
    }
}

/// One message as JSON.
pub(super) fn plain(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The old era knows its own errors only; the modern one says some of them to whoever looks at the status, too.
fn status(reply: &Reply, is_modern: bool) -> StatusCode {
    match reply.code {
        Some(RpcError::METHOD) if is_modern => StatusCode::NOT_FOUND,
        Some(errors::HEADERS | errors::VERSION | CAPABILITY | RpcError::REQUEST) if is_modern => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}
