//! Running requests, and requests that are suspended until a client of the modern era sends the
//! input they need.
//!
//! A server of the old era, or the approval prompt, sends a request to the client in the middle of
//! a call and waits for the response. A client of the modern era cannot receive it then, so the
//! call is suspended as it is. Only a client of the same owner that has its sealed number can resume
//! it.

#[cfg(test)]
mod tests;

use super::reverse_requests::InputRequest;
use super::sealed::RESUME_TIMEOUT;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::{BoundedCache, BoxFuture, RawJson, ToolOutput};

/// Maximum number of suspended requests; more evict the oldest.
const CAPACITY: usize = 256;

/// The suspended requests, by number.
pub(super) struct SuspendedCalls {
    next: AtomicU64,
    calls: Mutex<BoundedCache<u64, SuspendedCall>>,
}

struct SuspendedCall {
    owner: Option<Arc<str>>,
    suspended_at: Instant,
    request: RunningRequest,
}

impl Default for SuspendedCalls {
    fn default() -> Self {
        // A seal is valid for every server with the same key, and after a restart, so the numbers of
        // two servers must differ.
        let first = RandomState::new().hash_one("suspended");
        Self { next: AtomicU64::new(first), calls: Mutex::new(BoundedCache::new(CAPACITY)) }
    }
}

type Running = BoxFuture<'static, Result<ToolOutput, RpcError>>;

/// A running request, and its requests for input.
pub(super) struct RunningRequest {
    running: Running,
    input_requests: mpsc::UnboundedReceiver<InputRequest>,
    /// The receivers of the responses, by name.
    unanswered: HashMap<String, oneshot::Sender<Result<RawJson, RpcError>>>,
}

/// The progress of a request.
pub(super) enum Step {
    Done(Result<ToolOutput, RpcError>),
    /// The requests for input: name, method and parameters of each.
    NeedsInput(Vec<(String, String, RawJson)>),
    /// It has ended, and can be started again with the answer to this question about a pending
    /// approval.
    NeedsApproval(String, (String, String, RawJson)),
}

impl RunningRequest {
    pub(super) fn new(start: impl FnOnce(mpsc::UnboundedSender<InputRequest>) -> Running) -> Self {
        let (sender, input_requests) = mpsc::unbounded_channel();
        Self { running: start(sender), input_requests, unanswered: HashMap::new() }
    }

    /// Passes on the responses of the client. A request for input without a response fails.
    pub(super) fn provide_input(&mut self, mut responses: HashMap<String, RawJson>) {
        for (name, sender) in self.unanswered.drain() {
            let response = responses
                .remove(&name)
                .ok_or_else(|| RpcError::failed("the client did not respond"));
            let _ = sender.send(response);
        }
    }

    /// Runs the request until it is done or needs input. Requests for input that are sent at the
    /// same time are collected.
    pub(super) async fn advance(&mut self) -> Step {
        let first = tokio::select! {
            biased;
            done = &mut self.running => return match self.input_requests.try_recv() {
                Ok(InputRequest { method, params, approval_id: Some(id), .. }) => {
                    Step::NeedsApproval(id, (input_name(1), method, params))
                }
                _ => Step::Done(done),
            },
            Some(request) = self.input_requests.recv() => request,
        };
        // Lets other tasks send their requests for input as well.
        tokio::task::yield_now().await;
        let mut requests = Vec::new();
        let mut next = Some(first);
        while let Some(InputRequest { method, params, response_sender, .. }) = next {
            let name = input_name(requests.len() + 1);
            self.unanswered.insert(name.clone(), response_sender);
            requests.push((name, method, params));
            next = self.input_requests.try_recv().ok();
        }
        Step::NeedsInput(requests)
    }
}

/// The name of a request for input.
fn input_name(number: usize) -> String {
    format!("input_{number}")
}

impl SuspendedCalls {
    /// Suspends a request of this owner, and returns its number.
    pub(super) fn suspend(&self, owner: Option<Arc<str>>, request: RunningRequest) -> u64 {
        self.remove_expired();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let call = SuspendedCall { owner, suspended_at: Instant::now(), request };
        let evicted = self.calls.lock().insert(number, call);
        drop(evicted);
        number
    }

    /// Takes a suspended request of this owner. Each can be taken once.
    pub(super) fn take(&self, owner: Option<&str>, number: u64) -> Option<RunningRequest> {
        let mut calls = self.calls.lock();
        calls.peek(&number).filter(|call| call.owner.as_deref() == owner)?;
        let call = calls.remove(&number)?;
        drop(calls);
        (call.suspended_at.elapsed() < RESUME_TIMEOUT).then_some(call.request)
    }

    /// Drops the requests that no client has resumed in time.
    pub(super) fn remove_expired(&self) {
        let now = Instant::now();
        let expired = self
            .calls
            .lock()
            .remove_if(|call| now.duration_since(call.suspended_at) >= RESUME_TIMEOUT);
        drop(expired);
    }
}
