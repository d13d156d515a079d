//! Reads a body: all of it, or a reason why not, within bytes and within time.

use super::{Limits, Refusal};
use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Bytes of a body that nobody wants, and how long they may take.
const DRAINED: usize = 64 << 10;
const DRAINED_FOR: Duration = Duration::from_millis(500);

/// Bytes that all bodies together may still take.
#[derive(Debug)]
pub(crate) struct Budget(AtomicUsize);

/// Bytes that one body takes; dropping it gives them back.
#[derive(Debug)]
pub(crate) struct Held {
    budget: Arc<Budget>,
    bytes: usize,
}

/// Reads a body. What it takes of the budget is held for as long as whatever became of it is.
pub(crate) async fn read(body: Body, limits: &Limits, budget: &Arc<Budget>) -> Result<(Vec<u8>, Held), Refusal> {
    let declared = body.size_hint().lower();
    if declared > limits.body as u64 {
        return Err(too_large(limits));
    }
    let deadline = Instant::now() + limits.body_time;
    let mut held = budget.hold();
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    loop {
        let next = timeout_at(deadline, chunks.next());
        let chunk =
            match next.await.map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body came too slowly"))? {
                None => return Ok((bytes, held)),
                Some(Err(_)) => return Err(Refusal::bad_request("the body cannot be read")),
                Some(Ok(chunk)) => chunk,
            };
        if bytes.len() + chunk.len() > limits.body {
            return Err(too_large(limits));
        }
        if !held.grow(chunk.len()) {
            return Err(Refusal::busy("too much is being sent at once"));
        }
        // What is declared may be a lie: room is made for what is there.
        bytes.reserve(chunk.len().max(if bytes.is_empty() { (declared as usize).min(64 << 10) } else { 0 }));
        bytes.extend_from_slice(&chunk);
    }
}

/// Reads what is left of a body that nobody wants, if it is little. Closing a connection over it could cost the other end
/// the answer that is on its way.
pub(crate) async fn drain(body: Body) {
    let mut left = DRAINED;
    let mut chunks = body.into_data_stream();
    let reading = async {
        while let Some(Ok(chunk)) = chunks.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                return;
            }
        }
    };
    let _ = timeout(DRAINED_FOR, reading).await;
}

fn too_large(limits: &Limits) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a body may have {} bytes at most", limits.body))
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(bytes)))
    }

    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn hold(self: &Arc<Self>) -> Held {
        Held { budget: self.clone(), bytes: 0 }
    }
}

impl Held {
    fn grow(&mut self, more: usize) -> bool {
        let left = &self.budget.0;
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        if taken.is_ok() {
            self.bytes += more;
        }
        taken.is_ok()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}
