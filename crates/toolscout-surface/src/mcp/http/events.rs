//! Streams of events: what is said on the way to an answer and then the answer, or what belongs to no request.

use super::queue::Queue;
use super::session::{Open, Visiting};
use crate::http::{Ending, Pass};
use crate::mcp::server::Reply;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use futures_util::stream::unfold;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Something is said at least this often, so that nobody in between takes the stream for dead.
const QUIET: Duration = Duration::from_secs(15);
const COMMENT: &[u8] = b":\n\n";

/// What is said on the way to an answer, and then the answer. Dropping the stream ends the work.
pub(super) struct Answering {
    pub(super) queue: Arc<Queue>,
    /// One task, or none any more.
    pub(super) work: JoinSet<Option<Reply>>,
    /// Where there is one, the stream ends with it.
    pub(super) session: Option<Ending>,
    pub(super) is_quiet_first: bool,
}

impl Answering {
    pub(super) fn into_response(self) -> Response {
        respond(Body::from_stream(unfold(self, |mut it| async move {
            let bytes = it.next().await?;
            Some((Ok::<_, Infallible>(bytes), it))
        })))
    }

    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_quiet_first) {
            return Some(Bytes::from_static(COMMENT));
        }
        if self.work.is_empty() {
            return None;
        }
        let queue = self.queue.clone();
        tokio::select! {
            biased;
            () = queue.until(|| !queue.is_empty()) => Some(events(queue.take().unwrap_or_default())),
            done = self.work.join_next() => {
                // What was said last may have come after we looked.
                let mut texts = queue.take().unwrap_or_default();
                texts.extend(done.and_then(Result::ok).flatten().map(|it| it.text));
                (!texts.is_empty()).then(|| events(texts))
            }
            () = over(self.session.as_ref()) => {
                self.work.abort_all();
                None
            }
            () = sleep(QUIET) => Some(Bytes::from_static(COMMENT)),
        }
    }
}

/// What belongs to no request, for as long as the session and we are there.
pub(super) fn of_session(visiting: Visiting, ending: Ending, pass: Pass) -> Response {
    let session = visiting.0.ending();
    let begin = (Open::new(visiting), session, ending, pass, true);
    respond(Body::from_stream(unfold(begin, |(open, session, ending, pass, is_first)| async move {
        let bytes = match is_first {
            // Says at once that it is open.
            true => Bytes::from_static(COMMENT),
            false => tokio::select! {
                biased;
                () = session.over() => return None,
                () = ending.over() => return None,
                news = news(&open) => news?,
            },
        };
        Some((Ok::<_, Infallible>(bytes), (open, session, ending, pass, false)))
    })))
}

async fn news(open: &Open) -> Option<Bytes> {
    let queue = &open.visiting.0.queue;
    tokio::select! {
        () = queue.until(|| open.is_displaced() || (open.is_newest() && !queue.is_empty())) => match open.is_displaced() {
            true => None,
            false => Some(events(queue.take().unwrap_or_default())),
        },
        () = sleep(QUIET) => Some(Bytes::from_static(COMMENT)),
    }
}

/// A stream that is over before anything was said.
pub(super) fn nothing() -> Response {
    respond(Body::empty())
}

/// A stream of what was said on the way and the answer, all of which is there.
pub(super) fn all(mut texts: VecDeque<String>, reply: Reply) -> Response {
    texts.push_back(reply.text);
    respond(Body::from(events(texts)))
}

fn respond(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn events(texts: VecDeque<String>) -> Bytes {
    let mut events = String::with_capacity(texts.iter().map(|it| it.len() + 32).sum());
    for text in texts {
        events.push_str("event: message\n");
        // A message has one line; if ever it had more, it must not end the event.
        for line in text.lines() {
            events.push_str("data: ");
            events.push_str(line);
            events.push('\n');
        }
        events.push('\n');
    }
    events.into()
}

/// Waits until it is over; where there is nothing that could be, for ever.
pub(super) async fn over(ending: Option<&Ending>) {
    match ending {
        Some(ending) => ending.over().await,
        None => std::future::pending().await,
    }
}
