//! All sessions of the old era, with limits in total and per owner, and with expiry.

use super::protocol::Protocol;
use super::queue::{Queue, QueueCapacity};
use super::session::Session;
use crate::http::Limits;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::task::JoinSet;

/// All sessions of the old era.
pub(super) struct Sessions {
    max_total: usize,
    each: usize,
    idle_timeout: Duration,
    random: SystemRandom,
    table: Mutex<Table>,
    /// One task per session: it notifies the client, and ends the session when it expires.
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct Table {
    all: HashMap<Arc<str>, Arc<Session>>,
    /// Sessions by owner. An owner without sessions has no entry.
    each: HashMap<Option<Arc<str>>, Vec<Arc<Session>>>,
}

impl Sessions {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            max_total: limits.sessions,
            each: limits.sessions_each,
            idle_timeout: limits.session_time,
            random: SystemRandom::new(),
            table: Mutex::default(),
            tasks: Mutex::default(),
        })
    }

    /// The queue for messages to the client of a new session.
    pub(super) fn queue() -> Arc<Queue> {
        Queue::new(QueueCapacity::SESSION)
    }

    /// Starts a session, or returns the one that has this id already. If its owner or the server has too many, an idle session of the owner and
    /// the client with the most of them ends. Returns none if there are too many and none of them
    /// is idle.
    pub(super) fn start(
        self: &Arc<Self>,
        server: Arc<dyn Protocol>,
        session: Arc<Session>,
    ) -> Option<Arc<Session>> {
        let displaced = {
            let mut table = self.table.lock();
            // Two requests may continue a session of another replica at the same time.
            if let Some(present) = table.all.get(&session.id) {
                return Some(present.clone());
            }
            let own = table.each.get(&session.owner).map_or(0, Vec::len);
            let displaced = if own >= self.each {
                Some(table.idlest(&session.owner, &session)?)
            } else if table.all.len() >= self.max_total {
                let owner = table.largest_owner(&session.owner);
                Some(table.idlest(&owner, &session)?)
            } else {
                None
            };
            if let Some(displaced) = &displaced {
                table.remove(displaced);
            }
            table.insert(session.clone());
            displaced
        };
        if let Some(displaced) = displaced {
            displaced.close();
        }
        self.spawn_task(server, &session);
        Some(session)
    }

    /// The session with this id, if it belongs to this owner and profile.
    pub(super) fn find(
        &self,
        id: &str,
        owner: &Option<Arc<str>>,
        profile: Option<&str>,
    ) -> Option<Arc<Session>> {
        let table = self.table.lock();
        let session = table.all.get(id)?;
        (session.owner == *owner && session.profile.as_deref() == profile).then(|| session.clone())
    }

    /// All current sessions.
    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        self.table.lock().all.values().cloned().collect()
    }

    pub(super) fn close(&self, session: &Arc<Session>) {
        self.table.lock().remove(session);
        session.close();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.lock().all.len()
    }

    fn spawn_task(self: &Arc<Self>, server: Arc<dyn Protocol>, session: &Arc<Session>) {
        let (sessions, session) = (Arc::downgrade(self), session.clone());
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(run_session(sessions, server, session, self.idle_timeout));
    }

    /// 128 unguessable bits in hexadecimal; none if the system has no random numbers.
    pub(super) fn new_id(&self) -> Option<Arc<str>> {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes).ok()?;
        let mut id = String::with_capacity(32);
        for byte in bytes {
            let _ = write!(id, "{byte:02x}");
        }
        Some(id.into())
    }
}

async fn run_session(
    sessions: Weak<Sessions>,
    server: Arc<dyn Protocol>,
    session: Arc<Session>,
    idle_timeout: Duration,
) {
    let closed = session.cancel_token();
    let notifying = async {
        server.notify_of_changes(session.client.clone()).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = notifying => {}
        () = closed.cancelled() => {}
        () = session.idle_for(idle_timeout) => {}
    }
    match sessions.upgrade() {
        Some(sessions) => sessions.close(&session),
        None => session.close(),
    }
}

impl Table {
    fn insert(&mut self, session: Arc<Session>) {
        self.each.entry(session.owner.clone()).or_default().push(session.clone());
        self.all.insert(session.id.clone(), session);
    }

    fn remove(&mut self, session: &Arc<Session>) {
        self.all.remove(&session.id);
        if let Some(own) = self.each.get_mut(&session.owner) {
            own.retain(|item| !Arc::ptr_eq(item, session));
            if own.is_empty() {
                self.each.remove(&session.owner);
            }
        }
    }

    /// The owner with the most sessions; this one if it has as many.
    fn largest_owner(&self, owner: &Option<Arc<str>>) -> Option<Arc<str>> {
        let count = |(name, own): &(&Option<Arc<str>>, &Vec<_>)| (own.len(), *name == owner);
        let largest = self.each.iter().max_by_key(count);
        largest.map_or_else(|| owner.clone(), |(name, _)| name.clone())
    }

    /// The idle session of this owner that makes room for a new one: one of a client that has at
    /// least as many as the new one's client, an unused one before a used one, then the one that
    /// has been idle longest.
    fn idlest(&self, owner: &Option<Arc<str>>, new: &Arc<Session>) -> Option<Arc<Session>> {
        let own = self.each.get(owner)?;
        let mut counts: HashMap<Option<Arc<str>>, usize> = HashMap::new();
        own.iter().for_each(|session| *counts.entry(session.client.name()).or_default() += 1);
        let count = |session: &Arc<Session>| {
            counts.get(&session.client.name()).copied().unwrap_or_default()
        };
        let least = if new.owner == *owner { count(new) } else { 0 };
        own.iter()
            .filter(|session| count(session) >= least)
            .filter_map(|session| {
                let order = (Reverse(count(session)), session.was_used(), session.idle_since()?);
                Some((order, session))
            })
            .min_by_key(|(order, _)| *order)
            .map(|(_, session)| session.clone())
    }
}
