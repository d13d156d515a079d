//! Streams of events: the messages before a response and the response itself, or messages that
//! belong to no request.

use super::parked::UnfinishedRequest;
use super::queue::Queue;
use super::session::{OpenStream, Session, SessionGuard};
use crate::http::event_stream::{KEEP_ALIVE, comment, push_event, response};
use crate::http::{CancelToken, cancelled};
use crate::mcp::server::Reply;
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream::unfold;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use toolscout_core::SharePermit;

/// The shortest and the longest time after which a client polls.
const RETRY_RANGE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// The stream of the messages before a response, and of the response. Dropping the stream aborts
/// the work.
pub(super) struct ResponseStream {
    pub(super) request: UnfinishedRequest,
    /// If the request belongs to a session, the stream ends with it.
    pub(super) session: Option<Arc<Session>>,
    pub(super) starts_with_comment: bool,
}

/// A step of a stream.
enum StreamStep {
    Send(Bytes),
    /// Nothing is expected for this long.
    Suspend(Duration),
    End,
}

impl ResponseStream {
    pub(super) fn into_response(self) -> Response {
        response(Body::from_stream(unfold(Some(self), |stream| async move {
            let mut stream = stream?;
            let (bytes, stream) = match stream.next().await {
                StreamStep::Send(bytes) => (bytes, Some(stream)),
                StreamStep::Suspend(retry) => (stream.suspend(retry), None),
                StreamStep::End => return None,
            };
            Some((Ok::<_, Infallible>(bytes), stream))
        })))
    }

    /// Parks the request, and returns the last event of the stream.
    pub(super) fn suspend(self, retry: Duration) -> Bytes {
        let Some(session) = &self.session else { return comment() };
        let retry = retry.clamp(RETRY_RANGE.0, RETRY_RANGE.1).as_millis();
        let id = session.parked.park(self.request);
        format!("id: {id}\nretry: {retry}\ndata: \n\n").into()
    }

    async fn next(&mut self) -> StreamStep {
        if std::mem::take(&mut self.starts_with_comment) {
            return StreamStep::Send(comment());
        }
        if self.request.work.is_empty() {
            return StreamStep::End;
        }
        let queue = self.request.queue.clone();
        tokio::select! {
            biased;
            () = queue.wait_until(|| !queue.is_empty()) => {
                StreamStep::Send(events(queue.take().unwrap_or_default()))
            }
            done = self.request.work.join_next() => {
                // The last messages may have arrived after the queue was checked.
                let mut texts = queue.take().unwrap_or_default();
                texts.extend(done.and_then(Result::ok).flatten().map(|it| it.text));
                if texts.is_empty() { StreamStep::End } else { StreamStep::Send(events(texts)) }
            }
            () = ended(self.session.as_ref()) => {
                self.request.work.abort_all();
                StreamStep::End
            }
            retry = suspension(self.session.as_ref(), &queue) => StreamStep::Suspend(retry),
            () = sleep(KEEP_ALIVE) => StreamStep::Send(comment()),
        }
    }
}

/// Waits until the session has ended; without a session, forever.
pub(super) async fn ended(session: Option<&Arc<Session>>) {
    let token = session.map(|session| session.cancel_token());
    cancelled(token.as_ref()).await;
}

/// Waits until nothing is expected for a while. Forever if the client does not poll.
pub(super) async fn suspension(session: Option<&Arc<Session>>, queue: &Queue) -> Duration {
    match session.filter(|session| session.polls()) {
        Some(_) => queue.suspension().await,
        None => std::future::pending().await,
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
                comment()
            } else {
                tokio::select! {
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
        () = queue.wait_until(|| open.is_displaced() || (open.is_newest() && !queue.is_empty())) => if open.is_displaced() {
            None
        } else {
            Some(events(queue.take().unwrap_or_default()))
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
