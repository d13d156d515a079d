//! Reads a whole body, with limits for its size, its time, and the memory of all bodies
//! together.

use super::{HttpRejection, Limits};
use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use toolscout_core::SharePermit;

/// How many bytes of a rejected body are read, and for how long.
const MAX_DRAINED: usize = 64 << 10;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Reads a body. The permit grows by one place per byte, and the caller keeps it for as long as
/// the bytes, or the values parsed from them.
pub(crate) async fn read(
    body: Body,
    limits: &Limits,
    mut permit: SharePermit,
) -> Result<(Vec<u8>, SharePermit), HttpRejection> {
    let declared = body.size_hint().lower();
    if declared > limits.body as u64 {
        return Err(too_large(limits));
    }
    let deadline = Instant::now() + limits.body_time;
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
            Some(Err(_)) => {
                return Err(HttpRejection::bad_request("the request body cannot be read"));
            }
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
