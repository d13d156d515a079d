//! A client, as we know it while it is there: what it can do, what it waits for, how to reach it.

use super::message;
use super::version::Version;
use crate::mcp::SessionInfo;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use tokio::sync::{oneshot, watch};
use toolscout_core::{RpcError, Cx, Moment, RawJson};

/// Requests of one client that may be under way at once.
const TOGETHER: usize = 256;

/// A log level that nobody has asked for.
const UNSAID: u8 = u8::MAX;

/// Where messages for a client go: a pipe, a stream of events. Never waits, so that a client that does not read holds
/// nobody up.
pub trait Outlet: Send + Sync {
    /// Takes one message, if there is room; says whether there was.
    fn send(&self, message: String) -> bool;
}

/// Whom a surface has recognised, and what came along with the connection.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// What is private is keyed by this; none where all are the same.
    pub user: Option<Arc<str>>,
    /// Headers, names in lower case.
    pub headers: Option<Arc<[(String, String)]>>,
    /// Lists all tools, and hides nothing behind a search.
    pub shows_all: bool,
}

impl Identity {
    /// A request by them, and else like this one.
    pub(super) fn cx(&self, request: &Cx) -> Cx {
        let headers = self.headers.as_ref().unwrap_or(&request.headers).clone();
        Cx { user: self.user.clone(), headers, ..request.clone() }
    }
}

/// A client. Over pipes and in sessions of the old era it stays for many messages; else it is there for one.
pub struct Client {
    pub(super) identity: Identity,
    /// Names the conversation, for those who keep track of it; nobody gets in by it. None for who is there for one request.
    pub(super) session: Option<Arc<str>>,
    since: Moment,
    /// For what belongs to no request.
    pub(super) out: Arc<dyn Outlet>,
    said: Mutex<Said>,
    /// As [`super::logging::rank`] counts them; what is less is not sent. Before it says so, everything is.
    log_level: AtomicU8,
    in_flight: Mutex<HashMap<Box<str>, Begun>>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Result<RawJson, RpcError>>>>,
    next: AtomicU64,
    leaving: watch::Sender<bool>,
}

/// A number of its own, since ids may be used again, and a way to cancel it.
type Begun = (u64, oneshot::Sender<()>);

/// What a client of the old era said at the beginning.
#[derive(Clone, Default)]
struct Said {
    version: Option<Version>,
    name: Option<Arc<str>>,
    capabilities: Option<RawJson>,
    subscriptions: Vec<String>,
}

impl Client {
    /// A client that has said nothing yet.
    pub fn new(identity: Identity, out: Arc<dyn Outlet>) -> Arc<Self> {
        let session = format!("{:016x}", RandomState::new().hash_one("session"));
        Self::of(identity, out, Some(session.into()))
    }

    /// A client that is there for one request.
    pub fn for_one(identity: Identity, out: Arc<dyn Outlet>) -> Arc<Self> {
        Self::of(identity, out, None)
    }

    fn of(identity: Identity, out: Arc<dyn Outlet>, session: Option<Arc<str>>) -> Arc<Self> {
        Arc::new(Self {
            identity,
            session,
            since: Moment::now(),
            out,
            said: Mutex::default(),
            log_level: AtomicU8::new(UNSAID),
            in_flight: Mutex::default(),
            asked: Mutex::default(),
            next: AtomicU64::new(1),
            leaving: watch::Sender::new(false),
        })
    }

    /// Which revision it has agreed to; none before `initialize`, and for clients of the modern era.
    pub fn version(&self) -> Option<Version> {
        self.said.lock().version
    }

    pub(super) fn initialize(&self, version: Version, name: Option<Arc<str>>, capabilities: Option<RawJson>) {
        let mut said = self.said.lock();
        said.version = Some(version);
        said.name = name;
        said.capabilities = capabilities;
    }

    /// What it calls itself, where it has said so.
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.said.lock().name.clone()
    }

    /// The conversation with it, as others are told of it.
    pub(super) fn conversation(&self, kind: &'static str) -> SessionInfo {
        SessionInfo {
            id: self.session.as_deref().unwrap_or_default().to_owned(),
            kind,
            client: self.name().as_deref().map(str::to_owned),
            created: self.since.to_string(),
            owner: None,
            is_here: true,
        }
    }

    pub(super) fn capabilities(&self) -> Option<RawJson> {
        self.said.lock().capabilities.clone()
    }

    /// How loud a client of the old era wants logs to be, if it said so.
    pub(super) fn log_level(&self) -> Option<u8> {
        Some(self.log_level.load(Ordering::Relaxed)).filter(|it| *it != UNSAID)
    }

    pub(super) fn set_log_level(&self, level: u8) {
        self.log_level.store(level, Ordering::Relaxed);
    }

    /// The resources it wants to hear of, changed by `change`.
    pub(super) fn subscriptions<T>(&self, change: impl FnOnce(&mut Vec<String>) -> T) -> T {
        change(&mut self.said.lock().subscriptions)
    }

    /// Notes a request; none where its id is taken or there are too many. The receiver wakes when it is cancelled.
    pub(super) fn begin(self: &Arc<Self>, id: &RawJson) -> Result<(InFlight, oneshot::Receiver<()>), &'static str> {
        let mut in_flight = self.in_flight.lock();
        if in_flight.len() >= TOGETHER {
            return Err("too many requests at once");
        }
        if in_flight.contains_key(id.as_str()) {
            return Err("a request of this id is still under way");
        }
        let (sender, cancelled) = oneshot::channel();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        in_flight.insert(id.as_str().into(), (number, sender));
        Ok((InFlight { client: self.clone(), id: id.clone(), number }, cancelled))
    }

    /// The client no longer waits for this. What is not under way is none of its business.
    pub(super) fn cancel(&self, id: &RawJson) {
        if let Some((_, sender)) = self.in_flight.lock().remove(id.as_str()) {
            let _ = sender.send(());
        }
    }

    /// It has nothing more to say: what only listens for it comes to an end.
    pub fn leave(&self) {
        self.leaving.send_replace(true);
    }

    /// Waits until it has nothing more to say.
    pub(super) async fn left(&self) {
        // The sender is ours, and lives as long as we do.
        let _ = self.leaving.subscribe().wait_for(|it| *it).await;
    }

    /// How many requests are under way.
    pub fn in_flight(&self) -> usize {
        self.in_flight.lock().len()
    }

    /// Puts a question to the client, on the way that belongs to the request it is about. Cancel-safe: dropping it tells
    /// the client that nobody waits any more.
    pub(super) async fn ask(
        &self,
        method: &str,
        params: &str,
        out: &Arc<dyn Outlet>,
    ) -> Result<RawJson, RpcError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.asked.lock().insert(id, sender);
        let mut asking = Asking { client: self, out, id, is_answered: false };
        if !out.send(message::request(id, method, params)) {
            asking.is_answered = true;
            return Err(RpcError::failed("the client cannot be reached"));
        }
        let answer = answer.await;
        asking.is_answered = true;
        answer.unwrap_or_else(|_| Err(RpcError::failed("the client is gone")))
    }

    /// The client answers; an answer to nothing is nothing.
    pub(super) fn settle(&self, id: &RawJson, outcome: Result<RawJson, RpcError>) {
        let asked = id.as_str().parse().ok().and_then(|it: u64| self.asked.lock().remove(&it));
        if let Some(sender) = asked {
            let _ = sender.send(outcome);
        }
    }
}

/// A request that is under way.
pub(super) struct InFlight {
    client: Arc<Client>,
    id: RawJson,
    number: u64,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut in_flight = self.client.in_flight.lock();
        // After a cancellation the id is free, and may already be another's.
        if in_flight.get(self.id.as_str()).is_some_and(|(it, _)| *it == self.number) {
            in_flight.remove(self.id.as_str());
        }
    }
}

/// A question that is under way.
struct Asking<'a> {
    client: &'a Client,
    out: &'a Arc<dyn Outlet>,
    id: u64,
    is_answered: bool,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.client.asked.lock().remove(&self.id);
        if !self.is_answered {
            let params = format!(r#"{{"requestId":{}}}"#, self.id);
            self.out.send(message::notification("notifications/cancelled", Some(&params)));
        }
    }
}
