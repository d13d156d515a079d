//! Calls that wait until a client of the modern era comes back with what they want.
//!
//! In that era nobody sends requests to a client: it gets what is wanted as the result, and asks again with it. Who asked
//! us in the middle of a call, a server of the old era or the door itself, knows nothing of that. So the call is put
//! aside here, as it is, and goes on when the client comes back. Nobody can take it up but who has its sealed number.

use super::back::Wanted;
use super::sealed::PATIENCE;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use toolscout_core::{BoundedCache, BoxFuture, RpcError, RawJson, ToolOutput};

/// Calls that may wait; more evict the oldest.
const CAPACITY: usize = 256;

/// The calls that wait, by number.
pub(super) struct Waiting {
    next: AtomicU64,
    calls: Mutex<BoundedCache<u64, (Instant, Underway)>>,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { next: AtomicU64::new(1), calls: Mutex::new(BoundedCache::new(CAPACITY)) }
    }
}

/// A call under way, with what it may want to have.
pub(super) struct Underway {
    call: BoxFuture<'static, Result<ToolOutput, super::Fault>>,
    wants: mpsc::UnboundedReceiver<Wanted>,
    /// Who waits for which answer.
    open: HashMap<String, oneshot::Sender<Result<RawJson, RpcError>>>,
}

/// How a call went on.
pub(super) enum Step {
    /// It is done.
    Done(Result<ToolOutput, super::Fault>),
    /// It wants these, by name: a method and its parameters each.
    Wants(Vec<(String, String, RawJson)>),
}

impl Underway {
    pub(super) fn new(
        call: BoxFuture<'static, Result<ToolOutput, super::Fault>>,
        wants: mpsc::UnboundedReceiver<Wanted>,
    ) -> Self {
        Self { call, wants, open: HashMap::new() }
    }

    /// Gives it the answers there are, by name; whoever gets none asked in vain.
    pub(super) fn answer(&mut self, mut answers: HashMap<String, RawJson>) {
        for (name, sender) in self.open.drain() {
            let answer = answers.remove(&name).ok_or_else(|| RpcError::failed("the client gave no answer"));
            let _ = sender.send(answer);
        }
    }

    /// Goes on until it is done, or wants something. What is wanted at the same time is asked for at once.
    pub(super) async fn go_on(&mut self) -> Step {
        let first = tokio::select! {
            biased;
            done = &mut self.call => return Step::Done(done),
            Some(wanted) = self.wants.recv() => wanted,
        };
        // Others may be about to ask, too: they have been polled by then.
        tokio::task::yield_now().await;
        let mut asked = Vec::new();
        let mut next = Some(first);
        while let Some(Wanted { method, params, answer }) = next {
            let name = format!("input_{}", asked.len() + 1);
            self.open.insert(name.clone(), answer);
            asked.push((name, method, params));
            next = self.wants.try_recv().ok();
        }
        Step::Wants(asked)
    }
}

impl Waiting {
    /// Puts a call aside; gives its number.
    pub(super) fn put(&self, call: Underway) -> u64 {
        self.tidy();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let evicted = self.calls.lock().insert(number, (Instant::now(), call));
        drop(evicted);
        number
    }

    /// Takes it up again, once.
    pub(super) fn take(&self, number: u64) -> Option<Underway> {
        let (since, call) = self.calls.lock().remove(&number)?;
        (since.elapsed() < PATIENCE).then_some(call)
    }

    /// Lets go of those that nobody came back for.
    pub(super) fn tidy(&self) {
        let now = Instant::now();
        let expired = self.calls.lock().remove_if(|(since, _)| now.duration_since(*since) >= PATIENCE);
        drop(expired);
    }
}
