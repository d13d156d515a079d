//! Streams of events: the messages before a response and the response itself, or messages that
//! belong to no request.

use super::queue::Queue;
use super::session::{Open, Visiting};
use crate::http::event_stream::{KEEP_ALIVE, comment, push_event, response};
use crate::http::{CancelToken, ConcurrencyPermit};
use crate::mcp::server::Reply;
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream::unfold;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The stream of the messages before a response, and of the response. Dropping the stream aborts
/// the work.
pub(super) struct Answering {
    pub(super) queue: Arc<Queue>,
    /// One task, or none after it has ended.
    pub(super) work: JoinSet<Option<Reply>>,
    /// If the request belongs to a session, the stream ends with it.
    pub(super) session: Option<CancelToken>,
    pub(super) is_quiet_first: bool,
}

impl Answering {
    pub(super) fn into_response(self) -> Response {
        response(Body::from_stream(unfold(self, |mut it| async move {
            let bytes = it.next().await?;
            Some((Ok::<_, Infallible>(bytes), it))
        })))
    }

    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_quiet_first) {
            return Some(comment());
        }
        if self.work.is_empty() {
            return None;
        }
        let queue = self.queue.clone();
        tokio::select! {
            biased;
            () = queue.until(|| !queue.is_empty()) => Some(events(queue.take().unwrap_or_default())),
            done = self.work.join_next() => {
                // The last messages may have arrived after the queue was checked.
                let mut texts = queue.take().unwrap_or_default();
                texts.extend(done.and_then(Result::ok).flatten().map(|it| it.text));
                (!texts.is_empty()).then(|| events(texts))
            }
            () = over(self.session.as_ref()) => {
                self.work.abort_all();
                None
            }
            () = sleep(KEEP_ALIVE) => Some(comment()),
        }
    }
}

/// The stream of messages that belong to no request. It ends with the session or with the listener.
pub(super) fn session_stream(
    guard: SessionGuard,
    shutdown: CancelToken,
    permit: SharePermit,
) -> Response {
    let session = guard.0.cancel_token();
    let initial = (OpenStream::new(guard), session, shutdown, permit, true);
    response(Body::from_stream(unfold(
        initial,
        |(open, session, shutdown, permit, is_first)| async move {
            let bytes = if is_first {
                // A comment at once shows the client that the stream is open.
                true => comment(),
                false => tokio::select! {
                    biased;
                    () = session.cancelled() => return None,
                    () = shutdown.cancelled() => return None,
                    chunk = next_events(&open) => chunk?,
                }
            };
            Some((Ok::<_, Infallible>(bytes), (open, session, shutdown, permit, false)))
        },
    )))
}

async fn next_events(open: &OpenStream) -> Option<Bytes> {
    let queue = &open.guard.0.queue;
    tokio::select! {
        () = queue.until(|| open.is_displaced() || (open.is_newest() && !queue.is_empty())) => match open.is_displaced() {
            true => None,
            false => Some(events(queue.take().unwrap_or_default())),
        },
        () = sleep(KEEP_ALIVE) => Some(comment()),
    }
}

/// A stream that ends without any message.
pub(super) fn empty() -> Response {
    response(Body::empty())
}

/// A complete stream: the messages before a response, and the response.
pub(super) fn complete(mut texts: VecDeque<String>, reply: Reply) -> Response {
    texts.push_back(reply.text);
    response(Body::from(events(texts)))
}

fn events(texts: VecDeque<String>) -> Bytes {
    let mut events = String::with_capacity(texts.iter().map(|text| text.len() + 32).sum());
    for text in texts {
        push_event(&mut events, "message", &text);
    }
    events.into()
}

/// Waits for the cancellation; without a token, forever.
pub(super) async fn cancelled(token: Option<&CancelToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}
