//! Hears everything a server says and gives each thing to whom it concerns.

mod unasked;

use super::super::ClientError;
use super::super::limits::Limits;
use super::super::message::{self, ServerMessage, UnreadableMessage};
use super::super::secrets::SecretValues;
use super::super::wire::{Outgoing, WireObserver};
use super::bucket::TokenBucket;
use super::counts::{PeerCounter, PeerCounters, PeerCounts};
use super::origin::{AbandonedCalls, RequestOrigin};
use super::spread::SplitMessage;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use toolscout_core::cx::Progress;
use toolscout_core::{LibraryEvent, RawJson, escape, redact};

/// Messages that may wait to be sent without anybody waiting for them.
const OUTBOX: usize = 256;
/// Characters of a strange line that are shown in the log, and bytes of it that are looked at for that.
const SHOWN: usize = 120;
const LOOKED_AT: usize = 4 << 10;
/// Told how far a request is.
pub(in super::super) type ProgressTo = Arc<dyn Fn(Progress) + Send + Sync>;

/// Somebody who waits for an answer.
pub(super) struct PendingResponse {
    answer: oneshot::Sender<Result<RawJson, ClientError>>,
    progress: Option<ProgressTo>,
    /// How far it was the last time; it only goes up.
    done: f64,
    /// Whether this goes on until somebody ends it, and so is nothing that one waits for.
    stands: bool,
    acknowledged: Option<oneshot::Sender<()>>,
    seat: RequestOrigin,
}

impl PendingResponse {
    pub(super) fn new(
        answer: oneshot::Sender<Result<RawJson, ClientError>>,
        progress: Option<ProgressTo>,
        stands: bool,
        seat: RequestOrigin,
    ) -> Self {
        Self { answer, progress, done: f64::NEG_INFINITY, stands, acknowledged: None, seat }
    }
}

/// How often a server has said that what it has besides tools is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct LibraryChanges {
    pub(in super::super) resources: u64,
    pub(in super::super) prompts: u64,
}

/// Hears everything a server says. Never waits, and never holds its lock while it calls others.
pub(in super::super) struct ResponseRouter {
    /// Whose server this is, for the log.
    server: String,
    /// What the server knows and nobody else should hear.
    secrets: OnceLock<SecretValues>,
    limits: Arc<Limits>,
    state: Mutex<RouterState>,
    counters: PeerCounters,
    changes: watch::Sender<u64>,
    library: watch::Sender<LibraryChanges>,
    /// Who is told of the rest.
    news: OnceLock<broadcast::Sender<LibraryEvent>>,
    lost: watch::Sender<Option<ClientError>>,
    outbox: mpsc::Sender<Outgoing>,
    /// Servers of the modern era send no requests, and get no answers to them.
    is_modern: AtomicBool,
    /// Whether ids are drawn instead of counted.
    draws_ids: AtomicBool,
    /// Whether callers may be asked something by servers.
    relays: AtomicBool,
}

struct RouterState {
    next: u64,
    waiting: HashMap<u64, PendingResponse>,
    /// Calls that were given up.
    ghosts: AbandonedCalls,
    lost: Option<ClientError>,
    notifications: TokenBucket,
    requests: TokenBucket,
    spread: SplitMessage,
    outbox: Option<mpsc::Receiver<Outgoing>>,
}

impl ResponseRouter {
    pub(in super::super) fn new(server: impl Into<String>, limits: Arc<Limits>) -> Arc<Self> {
        let (outbox, posted) = mpsc::channel(OUTBOX);
        let now = Instant::now();
        let state = RouterState {
            next: 1,
            waiting: HashMap::new(),
            ghosts: AbandonedCalls::default(),
            lost: None,
            notifications: TokenBucket::new(limits.notifications, now),
            requests: TokenBucket::new(limits.requests, now),
            spread: SplitMessage::default(),
            outbox: Some(posted),
        };
        Arc::new(Self {
            server: server.into(),
            secrets: OnceLock::new(),
            limits,
            state: Mutex::new(state),
            counters: PeerCounters::default(),
            changes: watch::Sender::new(0),
            library: watch::Sender::default(),
            news: OnceLock::new(),
            lost: watch::Sender::new(None),
            outbox,
            is_modern: AtomicBool::new(false),
            draws_ids: AtomicBool::new(false),
            relays: AtomicBool::new(false),
        })
    }

    /// From now on these are hidden in all that the server says beside its results.
    pub(in super::super) fn keep_out(&self, secrets: SecretValues) {
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

    /// From now on callers may be asked what the server wants to know.
    pub(in super::super) fn relay(&self) {
        self.relays.store(true, Ordering::Relaxed);
    }

    pub(in super::super) fn relays(&self) -> bool {
        self.relays.load(Ordering::Relaxed)
    }

    /// Whether questions can come while a request waits: a server of the modern era answers with them instead.
    pub(super) fn may_be_asked(&self) -> bool {
        self.relays() && !self.is_modern.load(Ordering::Relaxed)
    }

    /// From now on this is told what happens there.
    pub(in super::super) fn tell_news(&self, news: broadcast::Sender<LibraryEvent>) {
        let _ = self.news.set(news);
    }

    /// How often the server said that what it has besides tools has changed.
    pub(in super::super) fn library_changes(&self) -> watch::Receiver<LibraryChanges> {
        self.library.subscribe()
    }

    /// How often the server said that its tools have changed.
    pub(in super::super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Its tools may have changed.
    pub(in super::super) fn changed(&self) {
        self.changes.send_modify(|it| *it = it.wrapping_add(1));
    }

    /// Nobody listened for a while: anything may have changed.
    pub(in super::super) fn all_may_have_changed(&self) {
        self.changed();
        self.library.send_modify(|it| (it.resources, it.prompts) = (it.resources + 1, it.prompts + 1));
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

    pub(in super::super) fn counts(&self) -> PeerCounts {
        self.counters.read()
    }

    /// Requests that somebody waits for.
    pub(in super::super) fn pending(&self) -> usize {
        self.state.lock().waiting.values().filter(|it| !it.stands).count()
    }

    pub(super) fn take_outbox(&self) -> Option<mpsc::Receiver<Outgoing>> {
        self.state.lock().outbox.take()
    }

    /// Sends it some time soon, if there is room.
    pub(super) fn post(&self, outgoing: Outgoing) {
        if self.outbox.try_send(outgoing).is_err() {
            self.counters.add(PeerCounter::Unsent);
        }
    }

    /// A new id for somebody who waits. Ids are never used twice.
    pub(super) fn register(&self, waiting: PendingResponse) -> Result<u64, ClientError> {
        let mut state = self.state.lock();
        if let Some(error) = &state.lost {
            return Err(error.clone());
        }
        // What we ask for ourselves is little, and must not fail because callers are many.
        let is_call = |it: &PendingResponse| !matches!(it.seat, RequestOrigin::Ourselves);
        let pending = state.waiting.values().filter(|it| is_call(it)).count();
        if is_call(&waiting) && pending >= self.limits.pending {
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
        if let Some(waiting) = self.state.lock().waiting.get_mut(&id) {
            waiting.acknowledged = Some(sender);
        }
        receiver
    }

    /// Nobody waits for this any more; says whether somebody still did.
    pub(super) fn forget(&self, id: u64) -> bool {
        let mut state = self.state.lock();
        let Some(waiting) = state.waiting.remove(&id) else { return false };
        if !matches!(waiting.seat, RequestOrigin::Ourselves) {
            state.ghosts.add(id);
        }
        true
    }

    fn settle(&self, id: u64, outcome: Result<&RawValue, ClientError>) {
        let waiting = {
            let mut state = self.state.lock();
            state.ghosts.remove(id);
            state.waiting.remove(&id)
        };
        let Some(waiting) = waiting else { return self.counters.add(PeerCounter::Unknown) };
        // Copied only now: an answer that nobody waits for costs nothing more.
        let _ = waiting.answer.send(outcome.map(message::keep).map_err(|it| self.fit_to_tell(it)));
    }

    fn fail(&self, id: u64, error: ClientError) {
        if let Some(waiting) = self.state.lock().waiting.remove(&id) {
            let _ = waiting.answer.send(Err(self.fit_to_tell(error)));
        }
    }

    fn unreadable(&self, bytes: &[u8], UnreadableMessage { mut about, mut reason }: UnreadableMessage) {
        if about.is_empty()
            && let Some(id) = self.state.lock().spread.line(bytes)
        {
            (about, reason) = (vec![id], "it spread a message over several lines".to_owned());
        }
        let counter = if about.is_empty() { PeerCounter::Noise } else { PeerCounter::Unreadable };
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
}

impl ResponseRouter {
    fn hear(&self, bytes: &[u8], within: Option<u64>) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        match message::read(bytes, &self.limits) {
            Ok(ServerMessage::Reply { id, outcome }) => self.settle(id, outcome),
            Ok(ServerMessage::Stray) => self.counters.add(PeerCounter::Unknown),
            Ok(ServerMessage::Request { id, method, params }) => self.requested(id, &method, params, within),
            Ok(ServerMessage::Notification { method, params }) => self.notified(&method, params, within),
            Err(it) => self.unreadable(bytes, it),
        }
    }
}

impl WireObserver for ResponseRouter {
    fn message(&self, bytes: &[u8]) {
        self.hear(bytes, None);
    }

    fn message_for(&self, request: u64, bytes: &[u8]) {
        self.hear(bytes, Some(request));
    }

    fn failed(&self, id: u64, error: ClientError) {
        self.fail(id, error);
    }

    fn lost(&self, error: ClientError) {
        let error = self.fit_to_tell(error);
        let waiting = {
            let mut state = self.state.lock();
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
