//! The other replicas of a fleet, as the sessions of clients need them.
//!
//! Any replica continues a session, because its id contains its state. What is alive in one replica
//! is reached there: the call that waits for a response of the client, the stream of a session and
//! its subscriptions, a large result.

use super::sealed_session::{LIFETIME, SealedSession};
use super::session::Session;
use crate::http::{HttpRejection, Limits, RequestShares};
use crate::mcp::client::{Client, replica_of};
use crate::mcp::message::Incoming;
use crate::mcp::result_storage::READ_RESULT;
use crate::mcp::sealed::{Clock, Seal};
use crate::mcp::{meta, replica_tag};
use parking_lot::Mutex;
use ring::hmac;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::{BoxFuture, Moment, RawJson};

const SESSION_KEY: &str = "toolscout session ids";
/// How often an unknown id makes a replica read the list of replicas again.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

/// The replicas of a fleet.
pub trait Replicas: Send + Sync + 'static {
    /// The id of this replica.
    fn own_id(&self) -> Arc<str>;
    /// The replicas that serve now, as last read.
    fn live(&self) -> Vec<Replica>;
    /// Reads the replicas that serve now.
    fn refresh(&self) -> BoxFuture<'_, ()>;
    /// The time by the clock that all replicas share.
    fn now(&self) -> Moment;
    /// Whether a client has ended the session with this id.
    fn is_ended(&self, session: &str) -> bool;
    /// Ends the session with this id on all replicas. The error is a message for the client.
    fn end(
        self: Arc<Self>,
        session: &str,
        expires: Moment,
    ) -> BoxFuture<'static, Result<(), String>>;
}

/// A replica that serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Its id.
    pub id: String,
    /// The address of its fleet listener; none if others cannot reach it.
    pub address: Option<String>,
    /// Whether it finishes its calls and accepts no new ones.
    pub is_draining: bool,
}

/// What the endpoints of one replica share with those of others.
pub struct FleetSessions {
    pub(super) replicas: Arc<dyn Replicas>,
    seal: Seal,
    /// The first key signs; each is accepted.
    pub(super) keys: Vec<hmac::Key>,
    /// The nonces of accepted requests, with the time after which they are too old anyway.
    pub(super) nonces: Mutex<HashMap<String, Instant>>,
    pub(super) shares: RequestShares,
    pub(super) limits: Limits,
    refreshed: Mutex<Option<Instant>>,
}

/// The replica does not serve any more, or cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplicaGone {
    /// Whether it may have received the request.
    pub(super) was_sent: bool,
}

/// Where a message has to be processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Here,
    /// In the replica with this id, and nowhere else.
    Replica(String),
    /// In the replica that has the stream and the subscriptions of the session.
    Home,
    /// In the replica that runs the request, which may be any.
    Everywhere,
}

/// The parts of a call that name a replica.
#[derive(Deserialize)]
struct TaggedParams {
    name: Option<String>,
    arguments: Option<RawJson>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

impl FleetSessions {
    /// The sessions of this replica. `key` seals their ids, and `listener_keys` sign requests
    /// between replicas: the first one, while each is accepted.
    pub fn new(
        replicas: Arc<dyn Replicas>,
        key: &[u8; 32],
        listener_keys: &[[u8; 32]],
        limits: &Limits,
    ) -> Arc<Self> {
        let clock: Clock = {
            let replicas = replicas.clone();
            Arc::new(move || replicas.now())
        };
        let keys = listener_keys.iter().map(|key| hmac::Key::new(hmac::HMAC_SHA256, key));
        let seal_key = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), SESSION_KEY.as_bytes());
        let mut session_key = [0; 32];
        session_key.copy_from_slice(seal_key.as_ref());
        Arc::new(Self {
            replicas,
            seal: Seal::new(&session_key).by_clock(clock),
            keys: keys.collect(),
            nonces: Mutex::default(),
            shares: RequestShares::new(limits),
            limits: limits.clone(),
            refreshed: Mutex::default(),
        })
    }

    /// The id of a new session: its sealed state, bound to the principal and the profile.
    pub(super) fn new_id(&self, client: &Client, bound_to: &str) -> Option<Arc<str>> {
        let session = SealedSession::new(
            &self.replicas.own_id(),
            client.version()?,
            client.capabilities().as_ref(),
            client.name(),
            client.session.clone()?,
            self.replicas.now(),
        );
        self.seal.seal_bytes(session.to_bytes(), bound_to).map(Into::into)
    }

    /// The state in the id of a session; none if the id belongs to another fleet, principal or
    /// profile, or is too old.
    pub(super) fn open_id(&self, id: &str, bound_to: &str) -> Option<SealedSession> {
        let bytes = self.seal.open_bytes(id, bound_to)?;
        let session = SealedSession::from_bytes(&bytes)?;
        let is_valid = self.replicas.now() < session.started.after(LIFETIME);
        is_valid.then_some(session)
    }

    /// When no replica accepts an id any more that was created until now.
    pub(super) fn last_expiry(&self) -> Moment {
        self.replicas.now().after(LIFETIME)
    }

    /// Where this message of a client has to be processed. `session` is that of the legacy era.
    pub(super) fn target(&self, incoming: &Incoming, session: Option<&Session>) -> Target {
        let own = self.replicas.own_id();
        let at = |replica: Option<String>| match replica {
            Some(replica) if replica != *own => Target::Replica(replica),
            _ => Target::Here,
        };
        match (incoming, session) {
            (Incoming::Response { id, .. }, _) => at(replica_of(id).map(|(replica, _)| replica)),
            (Incoming::Notification { method, params }, Some(session))
                if method == "notifications/cancelled" =>
            {
                let id = params.as_ref().and_then(cancelled_id);
                let is_here = id.is_some_and(|id| session.client.is_in_flight(&id));
                if is_here { Target::Here } else { Target::Everywhere }
            }
            (Incoming::Notification { .. }, _) => Target::Here,
            (Incoming::Request(request), session) => match request.method.as_str() {
                "resources/subscribe" | "resources/unsubscribe" if session.is_some() => {
                    Target::Home
                }
                _ => at(request.params.as_ref().and_then(named_replica)),
            },
        }
    }

    /// The replica that has the stream and the subscriptions of a session: the one where it was
    /// started, or else the same one of the others for every replica that decides.
    pub(super) fn home(&self, session: &Session) -> Option<String> {
        let origin = session.origin.as_deref()?;
        let own = self.replicas.own_id();
        let live = self.replicas.live();
        let is_open = |replica: &&Replica| !replica.is_draining && replica.address.is_some();
        let open: Vec<&Replica> = live.iter().filter(is_open).collect();
        if open.iter().any(|replica| replica.id == origin) || origin == &*own {
            return Some(origin.to_owned());
        }
        let weight = |replica: &&&Replica| {
            let digest = ring::digest::digest(
                &ring::digest::SHA256,
                format!("{} {}", session.id, replica.id).as_bytes(),
            );
            digest.as_ref().to_vec()
        };
        open.iter().max_by_key(weight).map(|replica| replica.id.clone())
    }

    /// The address of a replica. An unknown id is looked up once more, because a replica may have
    /// joined since the last heartbeat.
    pub(super) async fn address(&self, replica: &str) -> Result<String, ReplicaGone> {
        if let Some(address) = self.known_address(replica) {
            return Ok(address);
        }
        let is_due = {
            let mut refreshed = self.refreshed.lock();
            let is_due = refreshed.is_none_or(|at| at.elapsed() >= REFRESH_INTERVAL);
            if is_due {
                *refreshed = Some(Instant::now());
            }
            is_due
        };
        if is_due {
            self.replicas.refresh().await;
        }
        self.known_address(replica).ok_or(ReplicaGone { was_sent: false })
    }

    pub(super) fn known_address(&self, replica: &str) -> Option<String> {
        let live = self.replicas.live();
        live.into_iter().find(|live| live.id == replica)?.address
    }

    /// The ids of the other live replicas.
    pub(super) fn others(&self) -> Vec<String> {
        let own = self.replicas.own_id();
        let live = self.replicas.live().into_iter();
        live.filter(|live| live.id != *own && live.address.is_some()).map(|live| live.id).collect()
    }
}

/// The id of the request that a notification cancels.
fn cancelled_id(params: &RawJson) -> Option<RawJson> {
    #[derive(Deserialize)]
    struct Cancelled {
        #[serde(rename = "requestId")]
        id: RawJson,
    }
    Some(serde_json::from_str::<Cancelled>(params.as_str()).ok()?.id)
}

/// The replica that a request has to reach: the one that suspended it, or that stores the result it
/// reads on. Most requests name none.
fn named_replica(params: &RawJson) -> Option<String> {
    let text = params.as_str();
    if !text.contains("requestState") && !text.contains(READ_RESULT) {
        return None;
    }
    let params: TaggedParams = serde_json::from_str(text).ok()?;
    if let Some(state) = &params.state {
        return replica_tag::split(state).0.map(str::to_owned);
    }
    let arguments = params.arguments?.to_value();
    let handle = |arguments: &serde_json::Value| {
        Some(replica_tag::split(arguments["result"].as_str()?).0?.to_owned())
    };
    match params.name?.as_str() {
        READ_RESULT => handle(&arguments),
        meta::EXECUTE => {
            let request =
                meta::ExecuteRequest::parse(Some(&RawJson::from_value(&arguments))).ok()?;
            let arguments = request.plain_arguments().filter(|_| request.name == READ_RESULT)?;
            handle(&serde_json::Value::Object(arguments.clone()))
        }
        _ => None,
    }
}

impl From<ReplicaGone> for HttpRejection {
    /// Not 404: the session of the client goes on.
    fn from(_: ReplicaGone) -> Self {
        Self::new(
            axum::http::StatusCode::GONE,
            "the replica that ran this call is gone; call the tool again",
        )
    }
}
