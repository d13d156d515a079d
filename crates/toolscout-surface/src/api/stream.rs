//! `/api/events`: a stream of what happens, for as long as both ends are there.

use super::answer::Answer;
use super::asked::Asked;
use super::events::Told;
use super::{ErrorCode, OperationError, Route};
use crate::http::event_stream::{self, KEEP_ALIVE, MEDIA_TYPE};
use crate::http::{Ending, Pass};
use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

pub(super) fn routes() -> Vec<Route> {
    let summary = "What happens, as it happens: discovery, changed; for operators search, call and decision, too";
    vec![Route::text("/api/events", summary, MEDIA_TYPE, events)]
}

async fn events(asked: Asked) -> Result<Answer, OperationError> {
    let pass = asked.api.streams.enter(&asked.principal.name);
    let pass = pass.ok_or_else(|| OperationError::new(ErrorCode::TooManyRequests, "too many streams at once"))?;
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
    Ok(Answer::other(event_stream::response(body)))
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
                () = sleep(KEEP_ALIVE) => return Some(event_stream::comment()),
            }
        }
    }
}

fn changed(generation: u64) -> Bytes {
    event("changed", &format!(r#"{{"generation":{generation}}}"#))
}

fn event(kind: &str, json: &str) -> Bytes {
    let mut event = String::new();
    event_stream::push_event(&mut event, kind, json);
    event.into()
}
