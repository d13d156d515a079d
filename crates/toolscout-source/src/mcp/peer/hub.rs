//! Hears everything a server says and gives each thing to whom it concerns.

use super::super::ClientError;
use super::super::limits::Limits;
use super::super::message::{self, Message, Unreadable};
use super::super::secrets::Secrets;
use super::super::wire::{Ear, Outgoing};
use super::bucket::Bucket;
use super::counts::{Counter, Counters, Counts};
use super::spread::Spread;
use ring::rand::{SecureRandom, SystemRandom};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot, watch};
use toolscout_core::cx::Progress;
use toolscout_core::{RawJson, escape, redact};

/// Messages that may wait to be sent without anybody waiting for them.
const OUTBOX: usize = 256;
/// Bytes of a progress message that are passed on.
const PROGRESS_TEXT: usize = 4 << 10;
/// Characters of a strange line that are shown in the log, and bytes of it that are looked at for that.
const SHOWN: usize = 120;
const LOOKED_AT: usize = 4 << 10;
/// What marks the notifications of a standing request.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Told how far a request is.
pub(in super::super) type ProgressTo = Arc<dyn Fn(Progress) + Send + Sync>;

/// Somebody who waits for an answer.
pub(super) struct Waiting {
    answer: oneshot::Sender<Result<RawJson, ClientError>>,
    progress: Option<ProgressTo>,
    /// How far it was the last time; it only goes up.
    done: f64,
    /// Whether this goes on until somebody ends it, and so is nothing that one waits for.
    stands: bool,
    acknowledged: Option<oneshot::Sender<()>>,
}

impl Waiting {
    pub(super) fn new(
        answer: oneshot::Sender<Result<RawJson, ClientError>>,
        progress: Option<ProgressTo>,
        stands: bool,
    ) -> Self {
        Self { answer, progress, done: f64::NEG_INFINITY, stands, acknowledged: None }
    }
}

/// Hears everything a server says. Never waits, and never holds its lock while it calls others.
pub(in super::super) struct Hub {
    /// Whose server this is, for the log.
    server: String,
    /// What the server knows and nobody else should hear.
    secrets: OnceLock<Secrets>,
    limits: Arc<Limits>,
    state: Mutex<State>,
    counters: Counters,
    changes: watch::Sender<u64>,
    lost: watch::Sender<Option<ClientError>>,
    outbox: mpsc::Sender<Outgoing>,
    /// Servers of the modern era send no requests, and get no answers to them.
    is_modern: AtomicBool,
    /// Whether ids are drawn instead of counted.
    draws_ids: AtomicBool,
}

struct State {
    next: u64,
    waiting: HashMap<u64, Waiting>,
    lost: Option<ClientError>,
    notifications: Bucket,
    requests: Bucket,
    spread: Spread,
    outbox: Option<mpsc::Receiver<Outgoing>>,
}

impl Hub {
    pub(in super::super) fn new(server: impl Into<String>, limits: Arc<Limits>) -> Arc<Self> {
        let (outbox, posted) = mpsc::channel(OUTBOX);
        let now = Instant::now();
        let state = State {
            next: 1,
            waiting: HashMap::new(),
            lost: None,
            notifications: Bucket::new(limits.notifications, now),
            requests: Bucket::new(limits.requests, now),
            spread: Spread::default(),
            outbox: Some(posted),
        };
        Arc::new(Self {
            server: server.into(),
            secrets: OnceLock::new(),
            limits,
            state: Mutex::new(state),
            counters: Counters::default(),
            changes: watch::Sender::new(0),
            lost: watch::Sender::new(None),
            outbox,
            is_modern: AtomicBool::new(false),
            draws_ids: AtomicBool::new(false),
        })
    }

    /// From now on these are hidden in all that the server says beside its results.
    pub(in super::super) fn keep_out(&self, secrets: Secrets) {
        let _ = self.secrets.set(secrets);
    }

    /// From now on nobody can guess the id of a request that was not sent yet. Where connections are used again, a server that
    /// says more than it was asked could otherwise have the rest taken for the answer to what comes next.
    pub(in super::super) fn draw_ids(&self) {
        self.draws_ids.store(true, Ordering::Relaxed);
    }

    /// A text of the server's without its secrets.
    pub(in super::super) fn without_secrets(&self, text: String) -> String {
        match self.secrets.get() {
            Some(secrets) => secrets.hide(text),
            None => text,
        }
    }

    fn fit_to_tell(&self, error: ClientError) -> ClientError {
        match self.secrets.get() {
            Some(secrets) => secrets.hide_in(error),
            None => error,
        }
    }

    pub(in super::super) fn set_modern(&self, is_modern: bool) {
        self.is_modern.store(is_modern, Ordering::Relaxed);
    }

    /// How often the server said that its tools have changed.
    pub(in super::super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Its tools may have changed.
    pub(in super::super) fn changed(&self) {
        self.changes.send_modify(|it| *it = it.wrapping_add(1));
    }

    pub(in super::super) fn is_lost(&self) -> Option<ClientError> {
        self.lost.borrow().clone()
    }

    /// Waits until the connection is gone.
    pub(in super::super) async fn until_lost(&self) -> ClientError {
        let mut lost = self.lost.subscribe();
        let error = lost.wait_for(Option::is_some).await.ok().and_then(|it| it.clone());
        error.unwrap_or_else(super::gone)
    }

    pub(in super::super) fn counts(&self) -> Counts {
        self.counters.read()
    }

    /// Requests that somebody waits for.
    pub(in super::super) fn pending(&self) -> usize {
        self.state().waiting.values().filter(|it| !it.stands).count()
    }

    pub(super) fn take_outbox(&self) -> Option<mpsc::Receiver<Outgoing>> {
        self.state().outbox.take()
    }

    /// Sends it some time soon, if there is room.
    pub(super) fn post(&self, outgoing: Outgoing) {
        if self.outbox.try_send(outgoing).is_err() {
            self.counters.add(Counter::Unsent);
        }
    }

    /// A new id for somebody who waits. Ids are never used twice.
    pub(super) fn register(&self, waiting: Waiting) -> Result<u64, ClientError> {
        let mut state = self.state();
        if let Some(error) = &state.lost {
            return Err(error.clone());
        }
        let pending = state.waiting.values().filter(|it| !it.stands).count();
        if !waiting.stands && pending >= self.limits.pending {
            let what = format!("it has not yet answered {pending} earlier requests, and may have no more at once");
            return Err(ClientError::Busy { what, after: None });
        }
        let id = state.next;
        state.next = match self.draws_ids.load(Ordering::Relaxed) {
            true => drawn_after(id),
            false => id + 1,
        };
        state.waiting.insert(id, waiting);
        Ok(id)
    }

    /// Wakes when the server has agreed to a standing request.
    pub(super) fn acknowledgement(&self, id: u64) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        if let Some(waiting) = self.state().waiting.get_mut(&id) {
            waiting.acknowledged = Some(sender);
        }
        receiver
    }

    /// Nobody waits for this any more; says whether somebody still did.
    pub(super) fn forget(&self, id: u64) -> bool {
        self.state().waiting.remove(&id).is_some()
    }

    fn settle(&self, id: u64, outcome: Result<&RawValue, ClientError>) {
        let Some(waiting) = self.state().waiting.remove(&id) else { return self.counters.add(Counter::Unknown) };
        // Copied only now: an answer that nobody waits for costs nothing more.
        let outcome =
            outcome.and_then(|it| message::keep(it).ok_or_else(|| unreadable("it sent broken JSON".to_owned())));
        let _ = waiting.answer.send(outcome.map_err(|it| self.fit_to_tell(it)));
    }

    fn fail(&self, id: u64, error: ClientError) {
        if let Some(waiting) = self.state().waiting.remove(&id) {
            let _ = waiting.answer.send(Err(self.fit_to_tell(error)));
        }
    }

    fn unreadable(&self, bytes: &[u8], Unreadable { mut about, mut reason }: Unreadable) {
        if about.is_empty()
            && let Some(id) = self.state().spread.line(bytes)
        {
            (about, reason) = (vec![id], "it spread a message over several lines".to_owned());
        }
        let counter = if about.is_empty() { Counter::Noise } else { Counter::Unreadable };
        if self.counters.add_first(counter) {
            // Cut when the secrets are out, not through one of them.
            let line = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
            let line = redact::text(&self.without_secrets(line.into_owned()));
            let line: String = line.chars().take(SHOWN).collect();
            tracing::warn!(
                server = self.server,
                line = %escape::line(&line),
                "{reason}; more of this kind is only counted"
            );
        }
        for id in about {
            self.fail(id, unreadable(reason.clone()));
        }
    }

    /// A server may ask for life signs. It may ask for more, and is refused, as often as the limits say.
    fn requested(&self, id: &RawValue, method: &str) {
        self.counters.add(Counter::Request);
        if self.is_modern.load(Ordering::Relaxed) || !self.state().requests.take(Instant::now()) {
            return self.counters.add(Counter::Unanswered);
        }
        if let Some(body) = message::answer(id, method) {
            let (name, mirrored) = (None, Vec::new());
            self.post(Outgoing { body, id: None, method: None, name, mirrored, deadline: Instant::now() });
        }
    }

    fn notified(&self, method: &str, params: Option<&RawValue>) {
        // Counted whatever else comes: the one that matters may be the last of a flood.
        if method == "notifications/tools/list_changed" {
            return self.changed();
        }
        if !self.state().notifications.take(Instant::now()) {
            return self.counters.add(Counter::Dropped);
        }
        match (method, params) {
            ("notifications/progress", Some(params)) => self.progressed(params),
            ("notifications/subscriptions/acknowledged", Some(params)) => self.acknowledged(params),
            ("notifications/cancelled", Some(params)) => self.cancelled(params),
            _ => {}
        }
    }

    fn progressed(&self, params: &RawValue) {
        let Ok(said) = serde_json::from_str::<Progressed>(params.get()) else { return };
        let to = {
            let mut state = self.state();
            let Some(waiting) = state.waiting.get_mut(&said.token) else { return };
            if said.progress <= waiting.done {
                return;
            }
            waiting.done = said.progress;
            waiting.progress.clone()
        };
        if let Some(to) = to {
            let message = said.message.map(|it| message::clip(it, PROGRESS_TEXT));
            to(Progress { done: said.progress, total: said.total, message });
        }
    }

    fn acknowledged(&self, params: &RawValue) {
        let id = serde_json::from_str::<Value>(params.get()).ok().and_then(|it| it["_meta"][SUBSCRIPTION].as_u64());
        let mut state = self.state();
        let waiting = id.and_then(|it| state.waiting.get_mut(&it));
        if let Some(agreed) = waiting.and_then(|it| it.acknowledged.take()) {
            let _ = agreed.send(());
        }
    }

    /// The server ends something that stands. It may not end what somebody waits for: that has an answer.
    fn cancelled(&self, params: &RawValue) {
        let id = serde_json::from_str::<Value>(params.get()).ok().and_then(|it| it["requestId"].as_u64());
        let mut state = self.state();
        if let Some(id) = id.filter(|it| state.waiting.get(it).is_some_and(|it| it.stands)) {
            state.waiting.remove(&id);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct Progressed {
    #[serde(rename = "progressToken")]
    token: u64,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Ear for Hub {
    fn message(&self, bytes: &[u8]) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        match message::read(bytes, &self.limits) {
            Ok(Message::Reply { id, outcome }) => self.settle(id, outcome),
            Ok(Message::Stray) => self.counters.add(Counter::Unknown),
            Ok(Message::Request { id, method }) => self.requested(id, &method),
            Ok(Message::Notification { method, params }) => self.notified(&method, params),
            Err(it) => self.unreadable(bytes, it),
        }
    }

    fn failed(&self, id: u64, error: ClientError) {
        self.fail(id, error);
    }

    fn lost(&self, error: ClientError) {
        let error = self.fit_to_tell(error);
        let waiting = {
            let mut state = self.state();
            if state.lost.is_some() {
                return;
            }
            state.lost = Some(error.clone());
            std::mem::take(&mut state.waiting)
        };
        for it in waiting.into_values() {
            let _ = it.answer.send(Err(error.clone()));
        }
        self.lost.send_replace(Some(error));
    }
}

/// Further on by a step that nobody can guess, so that no id comes twice. Numbers stay small enough for everybody's JSON.
fn drawn_after(id: u64) -> u64 {
    let mut step = [0; 4];
    let is_drawn = id < 1 << 52 && SystemRandom::new().fill(&mut step).is_ok();
    id + 1 + if is_drawn { u64::from(u32::from_ne_bytes(step)) } else { 0 }
}

fn unreadable(reason: String) -> ClientError {
    ClientError::Protocol { reason }
}
