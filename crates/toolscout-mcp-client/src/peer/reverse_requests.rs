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
use toolscout_core::{Counterpart, Cx, RawJson, RpcError};

/// The maximum number of pending reverse requests per call; further ones are refused.
const AT_ONCE: usize = 8;
/// The JSON-RPC code for invalid parameters.
const INVALID: i64 = -32602;

/// An event about a reverse request of a server to the caller of one call.
pub(super) enum ReverseRequest {
    /// The server sent a reverse request.
    Put { id: Box<RawValue>, method: String, params: RawJson },
    /// The server cancelled a reverse request.
    Withdrawn { id: Box<RawValue> },
}

/// The router's side of the reverse request channel.
#[derive(Clone)]
pub(super) struct ReverseRequestSender {
    pub(super) counterpart: Arc<dyn Counterpart>,
    /// Receives reverse requests; `None` in eras without them.
    questions: Option<mpsc::Sender<ReverseRequest>>,
}

impl ReverseRequestSender {
    /// Creates a sender for a caller that receives notifications only.
    pub(super) fn without_questions(counterpart: Arc<dyn Counterpart>) -> Self {
        Self { counterpart, questions: None }
    }

    /// Queues the request, if this caller supports requests of its kind.
    pub(super) fn put(&self, id: &RawValue, method: &str, params: RawJson) -> Result<(), RpcError> {
        check(method, &params, &self.counterpart.capabilities())?;
        let question = ReverseRequest::Put { id: id.to_owned(), method: method.to_owned(), params };
        let questions = self.questions.as_ref().ok_or_else(unknown)?;
        questions.try_send(question).map_err(|_| too_many())
    }

    pub(super) fn withdraw(&self, id: &RawValue) {
        if let Some(questions) = &self.questions {
            // If the queue is full, the request is dropped with the others at the end of the call.
            let _ = questions.try_send(ReverseRequest::Withdrawn { id: id.to_owned() });
        }
    }
}

/// The caller's side: passes reverse requests to the counterpart, and sends the responses.
pub(super) struct ReverseRequests {
    counterpart: Arc<dyn Counterpart>,
    questions: mpsc::Receiver<ReverseRequest>,
}

/// Creates a reverse request channel for this caller.
pub(super) fn open(counterpart: Arc<dyn Counterpart>) -> (ReverseRequestSender, ReverseRequests) {
    let (sender, questions) = mpsc::channel(AT_ONCE);
    (
        ReverseRequestSender { counterpart: counterpart.clone(), questions: Some(sender) },
        ReverseRequests { counterpart, questions },
    )
}

impl ReverseRequests {
    /// Runs the work until it is done or the deadline passes. The deadline moves by the time that
    /// reverse requests are pending. Requests that are still pending at the end are dropped, which
    /// the counterpart notices.
    pub(super) async fn attend<T>(
        mut self,
        work: impl Future<Output = T>,
        deadline: Instant,
        router: &ResponseRouter,
    ) -> Option<T> {
        let mut work = pin!(work);
        let mut clock = PausableDeadline { due: deadline.into(), left: Cx::THINKING, since: None };
        let (mut open, mut handles) = (FuturesUnordered::new(), HashMap::new());
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                Some(question) = self.questions.recv() => match question {
                    ReverseRequest::Put { id, .. } if open.len() >= AT_ONCE => router.post(answer(&id, &Err(too_many()))),
                    ReverseRequest::Put { id, method, params } => {
                        let (handle, registration) = AbortHandle::new_pair();
                        handles.insert(id.get().to_owned(), handle);
                        open.push(Abortable::new(ask(self.counterpart.clone(), id, method, params), registration));
                        clock.stop();
                    }
                    ReverseRequest::Withdrawn { id } => {
                        if let Some(handle) = handles.remove(id.get()) {
                            handle.abort();
                        }
                    }
                },
                Some(answered) = open.next(), if !open.is_empty() => {
                    if let Ok((id, outcome)) = answered {
                        handles.remove(id.get());
                        router.post(answer(&id, &outcome));
                    }
                    if open.is_empty() {
                        clock.go_on();
                    }
                },
                () = sleep_until(clock.end()) => return None,
            }
        }
    }
}

async fn ask(
    counterpart: Arc<dyn Counterpart>,
    id: Box<RawValue>,
    method: String,
    params: RawJson,
) -> (Box<RawValue>, Result<RawJson, RpcError>) {
    let outcome = counterpart.ask(&method, params).await;
    (id, outcome)
}

/// A deadline that pauses while a reverse request is open.
struct PausableDeadline {
    due: tokio::time::Instant,
    /// How much further the deadline may move.
    left: Duration,
    /// Since when the deadline is paused.
    since: Option<tokio::time::Instant>,
}

impl PausableDeadline {
    fn end(&self) -> tokio::time::Instant {
        if self.since.is_some() { self.due + self.left } else { self.due }
    }

    fn stop(&mut self) {
        self.since.get_or_insert_with(tokio::time::Instant::now);
    }

    fn go_on(&mut self) {
        let spent = self.since.take().map_or(Duration::ZERO, |it| it.elapsed()).min(self.left);
        self.due += spent;
        self.left -= spent;
    }
}

/// The message with the response to a reverse request.
pub(super) fn answer(id: &RawValue, outcome: &Result<RawJson, RpcError>) -> Outgoing {
    let (body, longer) = (message::answer(id, outcome), Duration::ZERO);
    Outgoing {
        body,
        id: None,
        method: None,
        name: None,
        mirrored: Vec::new(),
        deadline: Instant::now(),
        longer,
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
        _ => Err(unknown()),
    }
}

/// Checks the elicitation mode. The default mode is `form`, which is also the only supported one if
/// the capabilities name none.
fn check_mode(params: &RawJson, elicitation: &Value) -> Result<(), RpcError> {
    let params = params.to_value();
    let mode = params["mode"].as_str().unwrap_or("form");
    let names_none = ["form", "url"].iter().all(|it| elicitation.get(it).is_none());
    if elicitation[mode].is_object() || (mode == "form" && names_none) {
        return Ok(());
    }
    let message =
        "the client that made this call does not support this mode of elicitation".to_owned();
    Err(RpcError { code: INVALID, message, data: None })
}

/// The error for methods that are not relayed.
pub(super) fn unknown() -> RpcError {
    let message = "toolscout does not offer this to servers".to_owned();
    RpcError { code: RpcError::METHOD, message, data: None }
}

fn too_many() -> RpcError {
    RpcError::failed("too many questions at once: earlier ones have not been answered yet")
}
