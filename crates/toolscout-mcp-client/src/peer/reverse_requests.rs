//! Reverse requests of a server, relayed to the caller while its call is pending.

#[cfg(test)]
mod tests;

use super::super::message;
use super::super::wire::Outgoing;
use super::ResponseRouter;
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, Abortable};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::sleep_until;
use toolscout_core::{Cx, RawJson, ReverseChannel, RpcError};

/// The maximum number of pending reverse requests per call; further ones are refused.
const MAX_PENDING: usize = 8;
/// The JSON-RPC code for invalid parameters.
const INVALID_PARAMS: i64 = -32602;

/// An event about a reverse request of a server to the caller of one call.
pub(super) enum ReverseRequest {
    /// The server sent a reverse request.
    Received { id: Box<RawValue>, method: String, params: RawJson },
    /// The server cancelled a reverse request.
    Cancelled { id: Box<RawValue> },
}

/// The router's side of the reverse request channel.
#[derive(Clone)]
pub(super) struct ReverseRequestSender {
    pub(super) counterpart: Arc<dyn ReverseChannel>,
    /// Receives reverse requests; `None` in eras without them.
    queue: Option<mpsc::Sender<ReverseRequest>>,
}

impl ReverseRequestSender {
    /// Creates a sender for a caller that receives notifications only.
    pub(super) fn notifications_only(counterpart: Arc<dyn ReverseChannel>) -> Self {
        Self { counterpart, queue: None }
    }

    /// Queues the request, if this caller supports requests of its kind.
    pub(super) fn send(
        &self,
        id: &RawValue,
        method: &str,
        params: RawJson,
    ) -> Result<(), RpcError> {
        check(method, &params, &self.counterpart.capabilities())?;
        let event =
            ReverseRequest::Received { id: id.to_owned(), method: method.to_owned(), params };
        let queue = self.queue.as_ref().ok_or_else(unsupported_method)?;
        queue.try_send(event).map_err(|_| too_many())
    }

    pub(super) fn cancel(&self, id: &RawValue) {
        if let Some(queue) = &self.queue {
            // If the queue is full, the request is dropped with the others at the end of the call.
            let _ = queue.try_send(ReverseRequest::Cancelled { id: id.to_owned() });
        }
    }
}

/// The caller's side: passes reverse requests to the counterpart, and sends the responses.
pub(super) struct ReverseRequests {
    counterpart: Arc<dyn ReverseChannel>,
    queue: mpsc::Receiver<ReverseRequest>,
}

/// Creates a reverse request channel for this caller.
pub(super) fn open(
    counterpart: Arc<dyn ReverseChannel>,
) -> (ReverseRequestSender, ReverseRequests) {
    let (sender, queue) = mpsc::channel(MAX_PENDING);
    (
        ReverseRequestSender { counterpart: counterpart.clone(), queue: Some(sender) },
        ReverseRequests { counterpart, queue },
    )
}

impl ReverseRequests {
    /// Runs the work until it is done or the deadline passes. The deadline moves by the time that
    /// reverse requests are pending. Requests that are still pending at the end are dropped, which
    /// the counterpart notices.
    pub(super) async fn relay_while<T>(
        mut self,
        work: impl Future<Output = T>,
        deadline: Instant,
        router: &ResponseRouter,
    ) -> Option<T> {
        let mut work = pin!(work);
        let mut deadline_clock = PausableDeadline {
            due: deadline.into(),
            remaining: Cx::REVERSE_REQUEST_LIMIT,
            paused_since: None,
        };
        let (mut pending, mut handles) = (FuturesUnordered::new(), HashMap::new());
        loop {
            tokio::select! {
                biased;
                output = &mut work => return Some(output),
                Some(event) = self.queue.recv() => match event {
                    ReverseRequest::Received { id, .. } if pending.len() >= MAX_PENDING => router.post(response(&id, &Err(too_many()))),
                    ReverseRequest::Received { id, method, params } => {
                        let (handle, registration) = AbortHandle::new_pair();
                        handles.insert(id.get().to_owned(), handle);
                        pending.push(Abortable::new(relay(self.counterpart.clone(), id, method, params), registration));
                        deadline_clock.pause();
                    }
                    ReverseRequest::Cancelled { id } => {
                        if let Some(handle) = handles.remove(id.get()) {
                            handle.abort();
                        }
                    }
                },
                Some(finished) = pending.next(), if !pending.is_empty() => {
                    if let Ok((id, outcome)) = finished {
                        handles.remove(id.get());
                        router.post(response(&id, &outcome));
                    }
                    if pending.is_empty() {
                        deadline_clock.resume();
                    }
                },
                () = sleep_until(deadline_clock.current()) => return None,
            }
        }
    }
}

async fn relay(
    counterpart: Arc<dyn ReverseChannel>,
    id: Box<RawValue>,
    method: String,
    params: RawJson,
) -> (Box<RawValue>, Result<RawJson, RpcError>) {
    let outcome = counterpart.request(&method, params).await;
    (id, outcome)
}

/// A deadline that pauses while a reverse request is open.
struct PausableDeadline {
    due: tokio::time::Instant,
    /// How much further the deadline may move.
    remaining: Duration,
    /// Since when the deadline is paused.
    paused_since: Option<tokio::time::Instant>,
}

impl PausableDeadline {
    fn current(&self) -> tokio::time::Instant {
        if self.paused_since.is_some() { self.due + self.remaining } else { self.due }
    }

    fn pause(&mut self) {
        self.paused_since.get_or_insert_with(tokio::time::Instant::now);
    }

    fn resume(&mut self) {
        let spent = self
            .paused_since
            .take()
            .map_or(Duration::ZERO, |paused_since| paused_since.elapsed())
            .min(self.remaining);
        self.due += spent;
        self.remaining -= spent;
    }
}

/// The message with the response to a reverse request.
pub(super) fn response(id: &RawValue, outcome: &Result<RawJson, RpcError>) -> Outgoing {
    let (body, extra_time) = (message::response(id, outcome), Duration::ZERO);
    Outgoing {
        body,
        id: None,
        method: None,
        name: None,
        mirrored: Vec::new(),
        deadline: Instant::now(),
        extra_time,
    }
}

/// Checks that this caller supports the request. The server knows only the combined capabilities of
/// all callers.
fn check(method: &str, params: &RawJson, capabilities: &RawJson) -> Result<(), RpcError> {
    let capabilities = capabilities.to_value();
    let has = |name: &str| capabilities[name].is_object();
    match method {
        "elicitation/create" if has("elicitation") => {
            check_mode(params, &capabilities["elicitation"])
        }
        "sampling/createMessage" if has("sampling") => Ok(()),
        "roots/list" if has("roots") => Ok(()),
        "elicitation/create" | "sampling/createMessage" | "roots/list" => Err(RpcError {
            code: RpcError::METHOD,
            message: format!("the client that made this call does not support `{method}`"),
            data: None,
        }),
        _ => Err(unsupported_method()),
    }
}

/// Checks the elicitation mode. The default mode is `form`, which is also the only supported one if
/// the capabilities name none.
fn check_mode(params: &RawJson, elicitation: &Value) -> Result<(), RpcError> {
    let params = params.to_value();
    let mode = params["mode"].as_str().unwrap_or("form");
    let names_none = ["form", "url"].iter().all(|item| elicitation.get(item).is_none());
    if elicitation[mode].is_object() || (mode == "form" && names_none) {
        return Ok(());
    }
    let message =
        "the client that made this call does not support this mode of elicitation".to_owned();
    Err(RpcError { code: INVALID_PARAMS, message, data: None })
}

/// The error for methods that are not relayed.
pub(super) fn unsupported_method() -> RpcError {
    let message = "toolscout does not support this request from servers".to_owned();
    RpcError { code: RpcError::METHOD, message, data: None }
}

fn too_many() -> RpcError {
    RpcError::failed("too many concurrent requests: earlier ones are still pending")
}
