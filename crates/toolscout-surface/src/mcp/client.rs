//! A connected client: its identity, its capabilities, its requests in flight, and how to send it
//! messages.

use super::replica_tag::{self, tagged};
use super::subscriptions::ClientSubscriptions;
use super::version::Version;
use crate::mcp::SessionInfo;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use toolscout_core::cx::ClientApprovals;
use toolscout_core::jsonrpc;
use toolscout_core::{Cx, Moment, RawJson, RpcError, escape};

/// Maximum number of requests of one client in flight.
const MAX_IN_FLIGHT: usize = 256;

/// Marks that no log level was set.
const UNSET_LEVEL: u8 = u8::MAX;

/// The destination of messages for a client: a pipe, or a stream of events. Sending never waits, so
/// that a client that does not read blocks nothing.
pub trait Outlet: Send + Sync {
    /// Queues one message. Returns false if there is no room.
    fn send(&self, message: String) -> bool;

    /// Suggests to close the stream for now, because nothing is expected for this long. The client
    /// requests the rest afterwards. Outlets that cannot be reopened ignore it.
    fn suspend(&self, retry: Duration) {
        let _ = retry;
    }
}

/// The authenticated user of a connection, and its headers.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// The key of private data; none if users are not distinguished.
    pub user: Option<Arc<str>>,
    /// The name of the access token, if it has one.
    pub token: Option<Arc<str>>,
    /// The profile that the token is limited to.
    pub profile: Option<Arc<str>>,
    /// Whether the answers of the client to elicitations approve calls.
    pub approvals: ClientApprovals,
    /// Headers, with names in lower case.
    pub headers: Option<Arc<[(String, String)]>>,
    /// Whether the client wants all tools listed.
    pub shows_all: bool,
}

impl Identity {
    /// The context of a request of this user; everything else is copied from `request`.
    pub(super) fn cx(&self, request: &Cx) -> Cx {
        let headers = self.headers.as_ref().unwrap_or(&request.headers).clone();
        let (token, profile) = (self.token.clone(), self.profile.clone());
        Cx { user: self.user.clone(), token, profile, headers, ..request.clone() }
    }
}

/// A client. Over pipes and in sessions of the old era it lives for many messages, otherwise for
/// one.
pub struct Client {
    pub(super) identity: Identity,
    /// Identifies the session in logs; it is not a credential. None for a client that lives for one
    /// request.
    pub(super) session: Option<Arc<str>>,
    connected_at: Moment,
    /// The outlet for messages that belong to no request.
    pub(super) out: Arc<dyn Outlet>,
    initialize_info: Mutex<InitializeInfo>,
    /// The resources that it is subscribed to.
    pub(super) subscriptions: ClientSubscriptions,
    /// The rank of the lowest log level that is sent; see [`super::logging::rank`].
    log_level: AtomicU8,
    in_flight: Mutex<HashMap<Box<str>, InFlightEntry>>,
    pending_requests: Mutex<HashMap<u64, oneshot::Sender<Result<RawJson, RpcError>>>>,
    next_id: AtomicU64,
    /// In a fleet, the replica of this process: any replica may receive the response to a request.
    replica: Option<Arc<str>>,
    is_disconnected: watch::Sender<bool>,
}

/// A unique number, because ids may be reused, and a sender that cancels the request.
type InFlightEntry = (u64, oneshot::Sender<()>);

/// The parameters of `initialize` of a client of the old era, and its subscriptions.
#[derive(Clone, Default)]
struct InitializeInfo {
    version: Option<Version>,
    name: Option<Arc<str>>,
    capabilities: Option<RawJson>,
}

impl Client {
    /// A client that has sent nothing yet.
    pub fn new(identity: Identity, out: Arc<dyn Outlet>) -> Arc<Self> {
        Self::with_session(identity, out, Some(new_label()), None)
    }

    /// A client of a fleet. `label` is that of its session; without one, it gets a new one.
    pub(super) fn of_replica(
        identity: Identity,
        out: Arc<dyn Outlet>,
        label: Option<Arc<str>>,
        replica: Arc<str>,
    ) -> Arc<Self> {
        let label = label.unwrap_or_else(new_label);
        Self::with_session(identity, out, Some(label), Some(replica))
    }

    /// A client that lives for one request.
    pub fn for_request(identity: Identity, out: Arc<dyn Outlet>) -> Arc<Self> {
        Self::with_session(identity, out, None, None)
    }

    fn with_session(
        identity: Identity,
        out: Arc<dyn Outlet>,
        session: Option<Arc<str>>,
        replica: Option<Arc<str>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            identity,
            session,
            connected_at: Moment::now(),
            out,
            initialize_info: Mutex::default(),
            subscriptions: ClientSubscriptions::default(),
            log_level: AtomicU8::new(UNSET_LEVEL),
            in_flight: Mutex::default(),
            pending_requests: Mutex::default(),
            next_id: AtomicU64::new(1),
            replica,
            is_disconnected: watch::Sender::new(false),
        })
    }

    /// The negotiated revision; none before `initialize`, and for clients of the modern era.
    pub fn version(&self) -> Option<Version> {
        self.initialize_info.lock().version
    }

    pub(super) fn initialize(
        &self,
        version: Version,
        name: Option<Arc<str>>,
        capabilities: Option<RawJson>,
    ) {
        let mut initialize_info = self.initialize_info.lock();
        initialize_info.version = Some(version);
        initialize_info.name = name;
        initialize_info.capabilities = capabilities;
    }

    /// The name of the client, if it sent one.
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.initialize_info.lock().name.clone()
    }

    /// The session as it is listed.
    pub(super) fn session_info(&self, kind: &'static str) -> SessionInfo {
        SessionInfo {
            id: self.session.as_deref().unwrap_or_default().to_owned(),
            kind,
            client: self.name().as_deref().map(str::to_owned),
            created: self.connected_at.to_string(),
            project: None,
            owner: None,
            is_local: true,
        }
    }

    pub(super) fn capabilities(&self) -> Option<RawJson> {
        self.initialize_info.lock().capabilities.clone()
    }

    /// The log level that a client of the old era has set.
    pub(super) fn log_level(&self) -> Option<u8> {
        Some(self.log_level.load(Ordering::Relaxed)).filter(|log_level| *log_level != UNSET_LEVEL)
    }

    pub(super) fn set_log_level(&self, level: u8) {
        self.log_level.store(level, Ordering::Relaxed);
    }

    /// Registers a request. Fails if its id is taken or too many are in flight. The receiver wakes
    /// when the request is cancelled.
    pub(super) fn register_request(
        self: &Arc<Self>,
        id: &RawJson,
    ) -> Result<(InFlight, oneshot::Receiver<()>), &'static str> {
        let mut in_flight = self.in_flight.lock();
        if in_flight.len() >= MAX_IN_FLIGHT {
            return Err("too many concurrent requests");
        }
        if in_flight.contains_key(id.as_str()) {
            return Err("a request with this id is still in progress");
        }
        let (sender, cancelled) = oneshot::channel();
        let number = self.next_id.fetch_add(1, Ordering::Relaxed);
        in_flight.insert(id.as_str().into(), (number, sender));
        Ok((InFlight { client: self.clone(), id: id.clone(), number }, cancelled))
    }

    /// Whether a request with this id is in flight.
    pub(super) fn is_in_flight(&self, id: &RawJson) -> bool {
        self.in_flight.lock().contains_key(id.as_str())
    }

    /// Cancels a request, if it is in flight.
    pub(super) fn cancel(&self, id: &RawJson) {
        if let Some((_, sender)) = self.in_flight.lock().remove(id.as_str()) {
            let _ = sender.send(());
        }
    }

    /// Marks that the client sends nothing more; its subscriptions end.
    pub fn disconnect(&self) {
        self.is_disconnected.send_replace(true);
    }

    /// Waits until the client sends nothing more.
    pub(super) async fn disconnected(&self) {
        // `self` owns the sender, so the channel stays open.
        let _ = self.is_disconnected.subscribe().wait_for(|is_disconnected| *is_disconnected).await;
    }

    /// The number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.lock().len()
    }

    /// Sends a request to the client, on the stream of the request that caused it. Cancel-safe:
    /// dropping the future cancels the request at the client.
    pub(super) async fn request(
        &self,
        method: &str,
        params: &str,
        out: &Arc<dyn Outlet>,
    ) -> Result<RawJson, RpcError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, response) = oneshot::channel();
        self.pending_requests.lock().insert(id, sender);
        let mut guard = ReverseRequestGuard { client: self, out, id, is_done: false };
        if !out.send(jsonrpc::request(self.wire_id(id), method, params)) {
            guard.is_done = true;
            return Err(RpcError::failed("the client cannot be reached"));
        }
        let response = response.await;
        guard.is_done = true;
        response.unwrap_or_else(|_| Err(RpcError::failed("the client disconnected")))
    }

    /// The id of a request to the client, as JSON.
    fn wire_id(&self, id: u64) -> String {
        match &self.replica {
            Some(replica) => jsonrpc::quoted(&tagged(Some(replica), &id.to_string())),
            None => id.to_string(),
        }
    }

    /// Takes a response of the client. A response without a matching request is ignored.
    pub(super) fn handle_response(&self, id: &RawJson, outcome: Result<RawJson, RpcError>) {
        let number = match (replica_of(id), &self.replica) {
            (Some((replica, number)), Some(own)) if replica == **own => number.parse().ok(),
            (None, None) => id.as_str().parse().ok(),
            _ => None,
        };
        let sender = number.and_then(|number: u64| self.pending_requests.lock().remove(&number));
        if let Some(sender) = sender {
            let _ = sender.send(outcome);
        }
    }
}

/// The replica that sent the request with this id, and the rest of the id; none outside a fleet.
pub(super) fn replica_of(id: &RawJson) -> Option<(String, String)> {
    let text: String = serde_json::from_str(id.as_str()).ok()?;
    let (replica, number) = replica_tag::split(&text);
    Some((replica?.to_owned(), number.to_owned()))
}

/// A new label of a session.
fn new_label() -> Arc<str> {
    format!("{:016x}", RandomState::new().hash_one("session")).into()
}

/// A request in flight.
pub(super) struct InFlight {
    client: Arc<Client>,
    id: RawJson,
    number: u64,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut in_flight = self.client.in_flight.lock();
        // After a cancellation the id is free, and may already be in use again.
        if in_flight.get(self.id.as_str()).is_some_and(|(value, _)| *value == self.number) {
            in_flight.remove(self.id.as_str());
        }
    }
}

/// A request to the client that is in flight.
struct ReverseRequestGuard<'a> {
    client: &'a Client,
    out: &'a Arc<dyn Outlet>,
    id: u64,
    is_done: bool,
}

impl Drop for ReverseRequestGuard<'_> {
    fn drop(&mut self) {
        self.client.pending_requests.lock().remove(&self.id);
        if !self.is_done {
            let params = format!(r#"{{"requestId":{}}}"#, self.client.wire_id(self.id));
            self.out.send(jsonrpc::notification("notifications/cancelled", Some(&params)));
        }
    }
}

/// The name and version of a client. Other or malformed fields are no reason to reject the client.
#[derive(Deserialize)]
#[serde(from = "Value")]
pub(super) struct ClientInfo(Option<Arc<str>>);

/// Characters of a name, and of a version, that are shown.
const MAX_FIELD_CHARS: usize = 64;

impl From<Value> for ClientInfo {
    fn from(info: Value) -> Self {
        let field = |key: &str| {
            let text = info
                .get(key)
                .and_then(Value::as_str)
                .map(|text| text.chars().take(MAX_FIELD_CHARS).collect::<String>());
            text.map(|value| escape::line(&value).into_owned()).filter(|line| !line.is_empty())
        };
        Self(field("name").map(|name| {
            field("version").map_or(name.clone(), |version| format!("{name} {version}")).into()
        }))
    }
}

impl ClientInfo {
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.0.clone()
    }
}
