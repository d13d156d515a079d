//! Reverse requests of a server, passed on to the caller while its call goes on.

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

/// Questions of one call that wait for an answer at once; another one is declined.
const AT_ONCE: usize = 8;
/// The protocol's number for parameters that cannot be.
const INVALID: i64 = -32602;

/// A message of a server to the caller of one call.
pub(super) enum ReverseRequest {
    /// It wants to know this.
    Put { id: Box<RawValue>, method: String, params: RawJson },
    /// It no longer wants to know.
    Withdrawn { id: Box<RawValue> },
}

/// The router's side of a reverse_requests.
#[derive(Clone)]
pub(super) struct ReverseRequestSender {
    pub(super) counterpart: Arc<dyn Counterpart>,
    /// Receives reverse requests; none in eras without them.
    questions: Option<mpsc::Sender<ReverseRequest>>,
}

impl ReverseRequestSender {
    /// For a caller that receives notifications only.
    pub(super) fn without_questions(counterpart: Arc<dyn Counterpart>) -> Self {
        Self { counterpart, questions: None }
    }

    /// Queues the request, if this caller can answer requests of its kind.
    pub(super) fn put(&self, id: &RawValue, method: &str, params: RawJson) -> Result<(), RpcError> {
        check(method, &params, &self.counterpart.capabilities())?;
        let question = ReverseRequest::Put { id: id.to_owned(), method: method.to_owned(), params };
        let questions = self.questions.as_ref().ok_or_else(unknown)?;
        questions.try_send(question).map_err(|_| too_many())
    }

    pub(super) fn withdraw(&self, id: &RawValue) {
        if let Some(questions) = &self.questions {
            // Where there is no room for this, the end of the call withdraws them all.
            let _ = questions.try_send(ReverseRequest::Withdrawn { id: id.to_owned() });
        }
    }
}

/// The caller's side: puts questions, and posts the answers.
pub(super) struct ReverseRequests {
    counterpart: Arc<dyn Counterpart>,
    questions: mpsc::Receiver<ReverseRequest>,
}

/// A reverse_requests for this caller.
pub(super) fn open(counterpart: Arc<dyn Counterpart>) -> (ReverseRequestSender, ReverseRequests) {
    let (sender, questions) = mpsc::channel(AT_ONCE);
    (
        ReverseRequestSender { counterpart: counterpart.clone(), questions: Some(sender) },
        ReverseRequests { counterpart, questions },
    )
}

impl ReverseRequests {
    /// Does the work until it is done, or until the deadline, which is later by the time that was spent asking. Questions
    /// still open then are dropped, which the counterpart notices.
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
    /// By how much it may still move.
    left: Duration,
    /// Since when it waits.
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

/// An answer to the server, on its way out.
pub(super) fn answer(id: &RawValue, outcome: &Result<RawJson, RpcError>) -> Outgoing {
    let (body, longer) = (message::answer(id, outcome), Duration::ZERO);
    Outgoing { body, id: None, method: None, name: None, mirrored: Vec::new(), deadline: Instant::now(), longer }
}

/// A server knows the capabilities of all callers together; those of this one are checked here.
fn check(method: &str, params: &RawJson, capabilities: &RawJson) -> Result<(), RpcError> {
    let capabilities = capabilities.to_value();
    let has = |name: &str| capabilities[name].is_object();
    match method {
        "elicitation/create" if has("elicitation") => check_mode(params, &capabilities["elicitation"]),
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

/// Forms are the usual mode, and the only one where none is named.
fn check_mode(params: &RawJson, elicitation: &Value) -> Result<(), RpcError> {
    let params = params.to_value();
    let mode = params["mode"].as_str().unwrap_or("form");
    let names_none = ["form", "url"].iter().all(|it| elicitation.get(it).is_none());
    if elicitation[mode].is_object() || (mode == "form" && names_none) {
        return Ok(());
    }
    let message = "the client that made this call does not support this mode of elicitation".to_owned();
    Err(RpcError { code: INVALID, message, data: None })
}

/// The error for methods that we do not pass on.
pub(super) fn unknown() -> RpcError {
    let message = "toolscout does not offer this to servers".to_owned();
    RpcError { code: RpcError::METHOD, message, data: None }
}

fn too_many() -> RpcError {
    RpcError::failed("too many questions at once: earlier ones have not been answered yet")
}
