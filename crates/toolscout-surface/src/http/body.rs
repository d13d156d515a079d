//! Reads a whole body, with limits for its size, its time, and the memory of all bodies
//! together.

use super::{HttpRejection, Limits};
use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// How many bytes of a rejected body are read, and for how long.
const MAX_DRAINED: usize = 64 << 10;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The bytes that are left for all bodies together.
#[derive(Debug)]
pub(crate) struct BodyBudget(AtomicUsize);

/// The bytes that one body takes from the budget; dropping the permit returns them.
#[derive(Debug)]
pub(crate) struct BodyPermit {
    budget: Arc<BodyBudget>,
    bytes: usize,
}

/// Reads a body. The caller keeps the permit for as long as the bytes, or the values parsed
/// from them.
pub(crate) async fn read(
    body: Body,
    limits: &Limits,
    budget: &Arc<BodyBudget>,
) -> Result<(Vec<u8>, BodyPermit), HttpRejection> {
    let declared = body.size_hint().lower();
    if declared > limits.body as u64 {
        return Err(too_large(limits));
    }
    let deadline = Instant::now() + limits.body_time;
    let mut permit = BodyPermit { budget: budget.clone(), bytes: 0 };
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    loop {
        let next = timeout_at(deadline, chunks.next());
        let chunk = match next.await.map_err(|_| {
            HttpRejection::new(
                StatusCode::REQUEST_TIMEOUT,
                "the request body did not arrive in time",
            )
        })? {
            None => return Ok((bytes, permit)),
            Some(Err(_)) => return Err(HttpRejection::bad_request("the body cannot be read")),
            Some(Ok(chunk)) => chunk,
        };
        if bytes.len() + chunk.len() > limits.body {
            return Err(too_large(limits));
        }
        if !permit.grow(chunk.len()) {
            return Err(HttpRejection::busy("too many bytes of requests at once"));
        }
        // The declared length may be false, so memory is reserved only for received bytes.
        bytes.reserve(chunk.len().max(if bytes.is_empty() {
            (declared as usize).min(64 << 10)
        } else {
            0
        }));
        bytes.extend_from_slice(&chunk);
    }
}

/// Reads the rest of a rejected body, if it is short. If the connection were closed with unread
/// bytes, the client could lose the response.
pub(crate) async fn drain(body: Body) {
    let mut remaining = MAX_DRAINED;
    let mut chunks = body.into_data_stream();
    let reading = async {
        while let Some(Ok(chunk)) = chunks.next().await {
            remaining = remaining.saturating_sub(chunk.len());
            if remaining == 0 {
                return;
            }
        }
    };
    let _ = timeout(DRAIN_TIMEOUT, reading).await;
}

fn too_large(limits: &Limits) -> HttpRejection {
    HttpRejection::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the request body is larger than {} bytes", limits.body),
    )
}

impl BodyBudget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(bytes)))
    }

    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl BodyPermit {
    fn grow(&mut self, more: usize) -> bool {
        let left = &self.budget.0;
        let taken =
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        if taken.is_ok() {
            self.bytes += more;
        }
        taken.is_ok()
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}
