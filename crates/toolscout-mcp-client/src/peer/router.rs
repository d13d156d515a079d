//! Routes the messages of a server: responses to pending requests, reverse requests and
//! notifications to their receivers.

mod unsolicited;

use super::super::ClientError;
use super::super::limits::Limits;
use super::super::message::{self, ServerMessage, UnreadableMessage};
use super::super::secrets::SecretValues;
use super::super::wire::{Outgoing, WireObserver};
use super::counts::PeerCounts;
use super::origin::{AbandonedCalls, RequestOrigin};
use super::split_message::SplitMessage;
use super::token_bucket::TokenBucket;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use toolscout_core::cx::Progress;
use toolscout_core::{LibraryEvent, RawJson, escape, redact};

/// The length of the queue of messages without a response.
const OUTBOX_CAPACITY: usize = 256;
/// The number of characters of an unparseable line that are logged, and of its bytes that are
/// examined for that.
const LOGGED_CHARS: usize = 120;
const EXAMINED_BYTES: usize = 4 << 10;
/// Receives the progress of a request.
pub(in super::super) type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// A pending request.
pub(super) struct PendingResponse {
    sender: oneshot::Sender<Result<RawJson, ClientError>>,
    progress: Option<ProgressCallback>,
    /// The last reported progress; it only increases.
    done: f64,
    /// Whether this is a standing request, which does not count as pending.
    is_standing: bool,
    acknowledged: Option<oneshot::Sender<()>>,
    origin: RequestOrigin,
}

impl PendingResponse {
    pub(super) fn new(
        sender: oneshot::Sender<Result<RawJson, ClientError>>,
        progress: Option<ProgressCallback>,
        is_standing: bool,
        origin: RequestOrigin,
    ) -> Self {
        Self { sender, progress, done: f64::NEG_INFINITY, is_standing, acknowledged: None, origin }
    }
}

/// The number of announced changes of a server's resources and prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct LibraryChanges {
    pub(in super::super) resources: u64,
    pub(in super::super) prompts: u64,
}

/// Routes the messages of a server. It never blocks, and never holds its lock during a callback.
pub(in super::super) struct ResponseRouter {
    /// The id of the server, for the log.
    server: String,
    /// The secrets of the server's configuration.
    secrets: OnceLock<SecretValues>,
    limits: Arc<Limits>,
    state: Mutex<RouterState>,
    counts: Mutex<PeerCounts>,
    changes: watch::Sender<u64>,
    library: watch::Sender<LibraryChanges>,
    /// Receives all other events.
    library_events: OnceLock<broadcast::Sender<LibraryEvent>>,
    lost: watch::Sender<Option<ClientError>>,
    outbox: mpsc::Sender<Outgoing>,
    /// Whether the server is modern; modern servers must not send reverse requests, which get no
    /// response.
    is_modern: AtomicBool,
    /// Whether reverse requests are relayed to callers.
    relays: AtomicBool,
}

struct RouterState {
    next: u64,
    /// Returns the id that follows an id.
    id_after: fn(u64) -> u64,
    waiting: HashMap<u64, PendingResponse>,
    /// Calls that were abandoned.
    abandoned: AbandonedCalls,
    lost: Option<ClientError>,
    notifications: TokenBucket,
    requests: TokenBucket,
    split_message: SplitMessage,
    outbox: Option<mpsc::Receiver<Outgoing>>,
}

impl ResponseRouter {
    pub(in super::super) fn new(server: impl Into<String>, limits: Arc<Limits>) -> Arc<Self> {
        let (outbox, queued) = mpsc::channel(OUTBOX_CAPACITY);
        let now = Instant::now();
        let state = RouterState {
            next: random_id_after(0),
            id_after: random_id_after,
            waiting: HashMap::new(),
            abandoned: AbandonedCalls::default(),
            lost: None,
            notifications: TokenBucket::new(limits.notifications, now),
            requests: TokenBucket::new(limits.requests, now),
            split_message: SplitMessage::default(),
            outbox: Some(queued),
        };
        Arc::new(Self {
            server: server.into(),
            secrets: OnceLock::new(),
            limits,
            state: Mutex::new(state),
            counts: Mutex::default(),
            changes: watch::Sender::new(0),
            library: watch::Sender::default(),
            library_events: OnceLock::new(),
            lost: watch::Sender::new(None),
            outbox,
            is_modern: AtomicBool::new(false),
            relays: AtomicBool::new(false),
        })
    }

    /// Sets the secrets to redact in everything but results.
    pub(in super::super) fn set_secrets(&self, secrets: SecretValues) {
        let _ = self.secrets.set(secrets);
    }

    /// Makes the ids 1, 2, 3 and so on.
    #[cfg(test)]
    pub(super) fn use_sequential_ids(&self) {
        let mut state = self.state.lock();
        (state.next, state.id_after) = (1, |id| id + 1);
    }

    /// Removes the server's secrets from a text.
    pub(in super::super) fn redact(&self, text: String) -> String {
        match self.secrets.get() {
            Some(secrets) => secrets.redact(text),
            None => text,
        }
    }

    fn redact_error(&self, error: ClientError) -> ClientError {
        match self.secrets.get() {
            Some(secrets) => secrets.redact_error(error),
            None => error,
        }
    }

    pub(in super::super) fn set_modern(&self, is_modern: bool) {
        self.is_modern.store(is_modern, Ordering::Relaxed);
    }

    /// Enables relaying reverse requests to callers.
    pub(in super::super) fn relay(&self) {
        self.relays.store(true, Ordering::Relaxed);
    }

    pub(in super::super) fn relays(&self) -> bool {
        self.relays.load(Ordering::Relaxed)
    }

    /// Whether reverse requests can arrive while a request is pending. A modern server returns an
    /// `input_required` result instead.
    pub(super) fn accepts_reverse_requests(&self) -> bool {
        self.relays() && !self.is_modern.load(Ordering::Relaxed)
    }

    /// Sets the receiver of library events.
    pub(in super::super) fn set_event_sender(
        &self,
        library_events: broadcast::Sender<LibraryEvent>,
    ) {
        let _ = self.library_events.set(library_events);
    }

    /// The announced changes of resources and prompts.
    pub(in super::super) fn library_changes(&self) -> watch::Receiver<LibraryChanges> {
        self.library.subscribe()
    }

    /// The announced changes of tools.
    pub(in super::super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Records that the tools may have changed.
    pub(in super::super) fn changed(&self) {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// Records that anything may have changed, because there was no subscription for a while.
    pub(in super::super) fn all_may_have_changed(&self) {
        self.changed();
        self.library.send_modify(|library| {
            (library.resources, library.prompts) = (library.resources + 1, library.prompts + 1)
        });
    }

    pub(in super::super) fn lost_reason(&self) -> Option<ClientError> {
        self.lost.borrow().clone()
    }

    /// Waits until the connection is lost.
    pub(in super::super) async fn wait_until_lost(&self) -> ClientError {
        let mut lost = self.lost.subscribe();
        let error = lost.wait_for(Option::is_some).await.ok().and_then(|value| value.clone());
        error.unwrap_or_else(super::connection_closed)
    }

    pub(in super::super) fn counts(&self) -> PeerCounts {
        *self.counts.lock()
    }

    /// The number of pending requests.
    pub(in super::super) fn pending(&self) -> usize {
        self.state.lock().waiting.values().filter(|value| !value.is_standing).count()
    }

    pub(super) fn take_outbox(&self) -> Option<mpsc::Receiver<Outgoing>> {
        self.state.lock().outbox.take()
    }

    /// Queues a message, if there is room.
    pub(super) fn post(&self, outgoing: Outgoing) {
        if self.outbox.try_send(outgoing).is_err() {
            self.counts.lock().unsent += 1;
        }
    }

    /// Registers a request under a new id. Ids are never reused, and unpredictable: otherwise a
    /// server could send the response to a request that it has not received yet, and a server that
    /// sends more than the requested response could have the excess accepted as the next one.
    pub(super) fn register(&self, waiting: PendingResponse) -> Result<u64, ClientError> {
        let mut state = self.state.lock();
        if let Some(error) = &state.lost {
            return Err(error.clone());
        }
        // The client's own requests are few, and must not fail because there are many calls.
        let is_call = |pending_response: &PendingResponse| {
            !matches!(pending_response.origin, RequestOrigin::Ourselves)
        };
        let pending = state.waiting.values().filter(|value| is_call(value)).count();
        if is_call(&waiting) && pending >= self.limits.pending {
            let what =
                format!("it has not answered {pending} earlier requests yet, which is the limit");
            return Err(ClientError::Busy { what, after: None });
        }
        let id = state.next;
        state.next = (state.id_after)(id);
        state.waiting.insert(id, waiting);
        Ok(id)
    }

    /// Completes when the server has acknowledged a standing request.
    pub(super) fn acknowledgement(&self, id: u64) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        if let Some(waiting) = self.state.lock().waiting.get_mut(&id) {
            waiting.acknowledged = Some(sender);
        }
        receiver
    }

    /// Removes a request; returns whether it was pending.
    pub(super) fn forget(&self, id: u64) -> bool {
        let mut state = self.state.lock();
        let Some(waiting) = state.waiting.remove(&id) else { return false };
        if !matches!(waiting.origin, RequestOrigin::Ourselves) {
            state.abandoned.add(id);
        }
        true
    }

    fn complete(&self, id: u64, outcome: Result<&RawValue, ClientError>) {
        let waiting = {
            let mut state = self.state.lock();
            state.abandoned.remove(id);
            state.waiting.remove(&id)
        };
        let Some(waiting) = waiting else {
            self.counts.lock().unknown += 1;
            return;
        };
        // The result is copied only here, so that a response to an unknown request is not copied.
        let _ = waiting
            .sender
            .send(outcome.map(message::to_raw_json).map_err(|error| self.redact_error(error)));
    }

    fn fail(&self, id: u64, error: ClientError) {
        if let Some(waiting) = self.state.lock().waiting.remove(&id) {
            let _ = waiting.sender.send(Err(self.redact_error(error)));
        }
    }

    fn unreadable(
        &self,
        bytes: &[u8],
        UnreadableMessage { mut request_ids, mut reason }: UnreadableMessage,
    ) {
        if request_ids.is_empty()
            && let Some(id) = self.state.lock().split_message.line(bytes)
        {
            (request_ids, reason) = (vec![id], "it split a message over several lines".to_owned());
        }
        let is_first = {
            let counts = &mut *self.counts.lock();
            let count =
                if request_ids.is_empty() { &mut counts.noise } else { &mut counts.unreadable };
            *count += 1;
            *count == 1
        };
        if is_first {
            // The line is cut after redaction, because a cut secret would not be recognized.
            let line = String::from_utf8_lossy(&bytes[..bytes.len().min(EXAMINED_BYTES)]);
            let line = redact::text(&self.redact(line.into_owned()));
            let line: String = line.chars().take(LOGGED_CHARS).collect();
            tracing::warn!(
                server = self.server,
                line = %escape::line(&line),
                "{reason}; further messages of this kind are only counted"
            );
        }
        for id in request_ids {
            self.fail(id, ClientError::protocol(reason.clone()));
        }
    }
}

impl ResponseRouter {
    fn receive(&self, bytes: &[u8], within: Option<u64>) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        match message::read(bytes, &self.limits) {
            Ok(ServerMessage::Reply { id, outcome }) => self.complete(id, outcome),
            Ok(ServerMessage::Stray) => self.counts.lock().unknown += 1,
            Ok(ServerMessage::Request { id, method, params }) => {
                self.handle_request(id, &method, params, within)
            }
            Ok(ServerMessage::Notification { method, params }) => {
                self.handle_notification(&method, params, within)
            }
            Err(error) => self.unreadable(bytes, error),
        }
    }
}

impl WireObserver for ResponseRouter {
    fn message(&self, bytes: &[u8]) {
        self.receive(bytes, None);
    }

    fn message_for(&self, request: u64, bytes: &[u8]) {
        self.receive(bytes, Some(request));
    }

    fn stream_closed(&self, id: u64, retry: Duration) {
        let counterpart = match self.state.lock().waiting.get(&id).map(|waiting| &waiting.origin) {
            Some(RequestOrigin::Caller(sender)) => sender.counterpart.clone(),
            _ => return,
        };
        counterpart.stream_closed(retry);
    }

    fn failed(&self, id: u64, error: ClientError) {
        self.fail(id, error);
    }

    fn lost(&self, error: ClientError) {
        let error = self.redact_error(error);
        let waiting = {
            let mut state = self.state.lock();
            if state.lost.is_some() {
                return;
            }
            state.lost = Some(error.clone());
            std::mem::take(&mut state.waiting)
        };
        for pending in waiting.into_values() {
            let _ = pending.sender.send(Err(error.clone()));
        }
        self.lost.send_replace(Some(error));
    }
}

/// The next id: adds a random step, so that ids stay unique. Numbers stay within the exact integers
/// of JavaScript.
fn random_id_after(id: u64) -> u64 {
    let mut step = [0; 4];
    let is_random = id < 1 << 52 && SystemRandom::new().fill(&mut step).is_ok();
    id + 1 + if is_random { u64::from(u32::from_ne_bytes(step)) } else { 0 }
}
