//! `/api/events`: a stream of what happens, for as long as both ends are there.

use super::answer::Answer;
use super::asked::Asked;
use super::events::Told;
use super::{Code, Route, Trouble};
use crate::http::{Ending, Pass};
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

/// Something is said at least this often, so that nobody in between takes the stream for dead.
const QUIET: Duration = Duration::from_secs(15);
const COMMENT: &[u8] = b":\n\n";
const MEDIA: &str = "text/event-stream";

pub(super) fn routes() -> Vec<Route> {
    let summary = "What happens, as it happens: discovery, changed; for operators search, call and decision, too";
    vec![Route::text("/api/events", summary, MEDIA, events)]
}

async fn events(asked: Asked) -> Result<Answer, Trouble> {
    let pass = asked.api.streams.enter(&asked.principal.name);
    let pass = pass.ok_or_else(|| Trouble::new(Code::TooManyRequests, "too many streams at once"))?;
    let looking = Looking {
        events: asked.api.events.subscribe(),
        changes: asked.gateway().changes(),
        ending: asked.api.ending.clone(),
        is_operator: asked.is_operator(),
        is_first: true,
        _pass: pass,
    };
    let body = Body::from_stream(unfold(looking, |mut it| async move {
        let bytes = it.next().await?;
        Some((Ok::<_, Infallible>(bytes), it))
    }));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(Answer::other(response))
}

/// Somebody who looks on.
struct Looking {
    events: broadcast::Receiver<Arc<Told>>,
    changes: watch::Receiver<u64>,
    ending: Ending,
    is_operator: bool,
    is_first: bool,
    _pass: Pass,
}

impl Looking {
    async fn next(&mut self) -> Option<Bytes> {
        // Says at once that it is open, and what there is now.
        if std::mem::take(&mut self.is_first) {
            return Some(changed(*self.changes.borrow_and_update()));
        }
        loop {
            tokio::select! {
                biased;
                () = self.ending.over() => return None,
                told = self.events.recv() => match told {
                    Ok(told) if self.is_operator || told.is_for_agents => return Some(event(told.kind, &told.json)),
                    Ok(_) => {}
                    Err(broadcast::error::RecvError::Lagged(missed)) => {
                        return Some(event("lost", &format!(r#"{{"missed":{missed}}}"#)));
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                Ok(()) = self.changes.changed() => return Some(changed(*self.changes.borrow_and_update())),
                () = sleep(QUIET) => return Some(Bytes::from_static(COMMENT)),
            }
        }
    }
}

fn changed(generation: u64) -> Bytes {
    event("changed", &format!(r#"{{"generation":{generation}}}"#))
}

/// JSON has no line ends of its own, so it is one line.
fn event(kind: &str, json: &str) -> Bytes {
    format!("event: {kind}\ndata: {json}\n\n").into()
}
