//! All sessions of the old era, with limits in total and per owner, and with expiry.

use super::protocol::Protocol;
use super::queue::{Queue, Room};
use super::session::Session;
use crate::http::Limits;
use crate::mcp::client::Client;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::task::JoinSet;

/// All sessions of the old era.
pub(super) struct Sessions {
    most: usize,
    each: usize,
    time: Duration,
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
            most: limits.sessions,
            each: limits.sessions_each,
            time: limits.session_time,
            random: SystemRandom::new(),
            table: Mutex::default(),
            tasks: Mutex::default(),
        })
    }

    /// The queue for messages to the client of a new session.
    pub(super) fn queue() -> Arc<Queue> {
        Queue::new(Room::SESSION)
    }

    /// Starts a session. If its owner or the server has too many, the owner's longest idle session
    /// ends. Returns none if there are too many and the owner has no idle session.
    pub(super) fn begin(
        self: &Arc<Self>,
        server: Arc<dyn Protocol>,
        owner: Option<Arc<str>>,
        profile: Option<String>,
        client: Arc<Client>,
        queue: Arc<Queue>,
    ) -> Option<Arc<Session>> {
        let session = Session::new(self.new_id()?, owner, profile, client, queue);
        let displaced = {
            let mut table = self.table.lock();
            let own = table.each.get(&session.owner).map_or(0, Vec::len);
            let is_full = own >= self.each || table.all.len() >= self.most;
            let displaced = if is_full { Some(table.idlest(&session.owner)?) } else { None };
            if let Some(displaced) = &displaced {
                table.remove(displaced);
            }
            table.insert(session.clone());
            displaced
        };
        if let Some(displaced) = displaced {
            displaced.end();
        }
        self.watch(server, &session);
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

    pub(super) fn end(&self, session: &Arc<Session>) {
        self.table.lock().remove(session);
        session.end();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.lock().all.len()
    }

    fn watch(self: &Arc<Self>, server: Arc<dyn Protocol>, session: &Arc<Session>) {
        let (sessions, session) = (Arc::downgrade(self), session.clone());
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(attend(sessions, server, session, self.time));
    }

    /// 128 unguessable bits in hexadecimal; none if the system has no random numbers.
    fn new_id(&self) -> Option<Arc<str>> {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes).ok()?;
        let mut id = String::with_capacity(32);
        for byte in bytes {
            let _ = write!(id, "{byte:02x}");
        }
        Some(id.into())
    }
}

async fn attend(
    sessions: Weak<Sessions>,
    server: Arc<dyn Protocol>,
    session: Arc<Session>,
    time: Duration,
) {
    let ending = session.ending();
    let informing = async {
        server.keep_informed(session.client.clone()).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = informing => {}
        () = ending.cancelled() => {}
        () = session.forgotten(time) => {}
    }
    match sessions.upgrade() {
        Some(sessions) => sessions.end(&session),
        None => session.end(),
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
            own.retain(|it| !Arc::ptr_eq(it, session));
            if own.is_empty() {
                self.each.remove(&session.owner);
            }
        }
    }

    fn idlest(&self, owner: &Option<Arc<str>>) -> Option<Arc<Session>> {
        let own = self.each.get(owner)?.iter().filter_map(|it| Some((it.idle_since()?, it)));
        own.min_by_key(|(since, _)| *since).map(|(_, it)| it.clone())
    }
}
