//! The replicas of the fleet, for the sessions of clients: which ones serve, and which sessions their
//! clients have ended.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use toolscout_core::{BoxFuture, ChangeSubscription, Moment, Namespace, Store};
use toolscout_fleet::FleetStore;
use toolscout_surface::mcp::http::{Endpoint, Replica, Replicas};

/// Expired rows that one end of a session removes at most.
const SWEPT_AT_ONCE: usize = 10;

/// The replicas of the fleet.
pub(super) struct FleetReplicas {
    store: Arc<FleetStore>,
    id: Arc<str>,
    /// When the rows of ended sessions may be removed, by the fingerprint of the session id.
    ended: Mutex<HashMap<String, Moment>>,
    endpoints: Mutex<Vec<Weak<Endpoint>>>,
    subscription: OnceLock<Option<ChangeSubscription>>,
}

impl FleetReplicas {
    /// The replicas that share this store. Follows the sessions that clients end on any of them.
    pub(super) fn follow(store: Arc<FleetStore>) -> Arc<Self> {
        let replicas = Arc::new(Self {
            id: store.id().into(),
            store,
            ended: Mutex::default(),
            endpoints: Mutex::default(),
            subscription: OnceLock::new(),
        });
        let weak = Arc::downgrade(&replicas);
        let changed = move || {
            if let Some(replicas) = weak.upgrade() {
                replicas.read_ended();
            }
        };
        let subscription = replicas.store.on_change(Namespace::EndedSession, Box::new(changed));
        let _ = replicas.subscription.set(subscription);
        replicas.read_ended();
        replicas
    }

    /// Ends the ended sessions of this endpoint from now on.
    pub(super) fn add(&self, endpoint: &Arc<Endpoint>) {
        self.endpoints.lock().push(Arc::downgrade(endpoint));
    }

    fn read_ended(&self) {
        let Ok(keys) = self.store.keys(Namespace::EndedSession) else { return };
        {
            let mut ended = self.ended.lock();
            let mut before = std::mem::take(&mut *ended);
            *ended = keys
                .into_iter()
                .map(|key| {
                    let known = before.remove(&key);
                    let expires = known.unwrap_or_else(|| self.expiry(&key));
                    (key, expires)
                })
                .collect();
        }
        let endpoints: Vec<_> = self.endpoints.lock().iter().filter_map(Weak::upgrade).collect();
        endpoints.iter().for_each(|endpoint| endpoint.close_ended_sessions());
    }

    /// When the row may be removed. One that cannot be read stays.
    fn expiry(&self, key: &str) -> Moment {
        let value = self.store.read(Namespace::EndedSession, key).ok().flatten();
        let millis = value.and_then(|value| std::str::from_utf8(&value).ok()?.parse().ok());
        Moment(millis.unwrap_or(u64::MAX))
    }

    fn record_end(&self, key: &str, expires: Moment) -> Result<(), String> {
        let value = expires.0.to_string();
        let written = self.store.write(Namespace::EndedSession, key, value.as_bytes());
        written.map_err(|error| format!("the session ends on this replica only: {error}"))?;
        let now = self.store.now();
        let expired: Vec<String> = {
            let ended = self.ended.lock();
            let expired = ended.iter().filter(|(_, expires)| **expires < now);
            expired.map(|(key, _)| key.clone()).take(SWEPT_AT_ONCE).collect()
        };
        for key in expired {
            let _ = self.store.remove(Namespace::EndedSession, &key);
        }
        Ok(())
    }
}

impl Replicas for FleetReplicas {
    fn own_id(&self) -> Arc<str> {
        self.id.clone()
    }

    fn live(&self) -> Vec<Replica> {
        let live = self.store.live_replicas().into_iter();
        live.map(|replica| Replica {
            id: replica.id,
            address: replica.address,
            is_draining: replica.is_draining,
        })
        .collect()
    }

    fn refresh(&self) -> BoxFuture<'_, ()> {
        let store = self.store.clone();
        Box::pin(async move {
            // Without the database, the replicas of the last contact are all there is.
            let _ = tokio::task::spawn_blocking(move || store.refresh_replicas()).await;
        })
    }

    fn now(&self) -> Moment {
        self.store.now()
    }

    fn is_ended(&self, session: &str) -> bool {
        let ended = self.ended.lock();
        !ended.is_empty() && ended.contains_key(&fingerprint(session))
    }

    fn end(
        self: Arc<Self>,
        session: &str,
        expires: Moment,
    ) -> BoxFuture<'static, Result<(), String>> {
        let key = fingerprint(session);
        Box::pin(async move {
            let recorded =
                tokio::task::spawn_blocking(move || self.record_end(&key, expires)).await;
            recorded.unwrap_or_else(|error| Err(error.to_string()))
        })
    }
}

/// The key of an ended session: its id would be a credential.
fn fingerprint(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex()[..32].to_owned()
}
