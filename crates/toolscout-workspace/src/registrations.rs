//! Tools that other programs have registered with this process, and until when.
//!
//! A registration is a source of the gateway. A program with a callback URL renews its registration
//! before it expires; a program without one holds a stream of calls open, and its registration ends
//! with that stream.

mod callback;
mod connection;
mod definitions;
mod record;
mod source;

pub(crate) use callback::Callback;
pub(crate) use connection::{CallQueue, ProgramMessage};
pub(crate) use definitions::Definition;
pub(crate) use record::sources_of_host;
pub(crate) use source::{Delivery, RegisteredSource};

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use toolscout_core::{Moment, Source, SourceId, ToolOutput};
use toolscout_gateway::Gateway;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The maximum number of registrations in one process.
const MAX_REGISTRATIONS: usize = 256;
/// The time in which a program has to open its stream of calls.
const CONNECT_WITHIN: Duration = Duration::from_secs(30);

/// The registrations of this process, at most one for each source id.
#[derive(Default)]
pub struct Registrations {
    entries: Mutex<BTreeMap<SourceId, Registration>>,
    changed: Notify,
    generations: AtomicU64,
}

struct Registration {
    source: Arc<RegisteredSource>,
    state: RegistrationState,
    ttl: Duration,
    /// Tells this registration from an earlier one with the same id.
    generation: u64,
}

enum RegistrationState {
    /// Its tools are in the catalog until it expires.
    Active { until: Instant },
    /// Its program has not opened the stream of calls yet.
    Waiting { until: Instant, calls: mpsc::Receiver<ProgramMessage> },
    /// Its tools are in the catalog until the program closes the stream.
    Connected,
}

/// A registration, as shown to operators.
pub(crate) struct RegistrationStatus {
    pub(crate) id: SourceId,
    /// `active`, `waiting` or `connected`.
    pub(crate) state: &'static str,
    /// The callback URL without its query.
    pub(crate) callback: Option<String>,
    pub(crate) tools: Vec<String>,
    /// When it expires, unless it is renewed or connected first.
    pub(crate) expires: Option<Moment>,
}

/// The calls for a program, and the key to end its connection.
pub(crate) struct ProgramConnection {
    pub(crate) id: SourceId,
    pub(crate) calls: mpsc::Receiver<ProgramMessage>,
    pub(crate) generation: u64,
}

impl Registrations {
    /// Adds a registration, or replaces the one with the same id. `calls` are the messages for a
    /// program without a callback URL.
    pub(crate) fn add(
        &self,
        gateway: &Gateway,
        source: RegisteredSource,
        calls: Option<mpsc::Receiver<ProgramMessage>>,
        ttl: Duration,
    ) -> Result<RegistrationStatus, OperationError> {
        let (source, now) = (Arc::new(source), Instant::now());
        let id = source.id().clone();
        let mut entries = self.entries.lock();
        let replaced = entries.get(&id).map(Registration::is_in_catalog);
        self.check_room(&id, gateway, &entries)?;
        let state = match calls {
            Some(calls) => {
                // The earlier tools cannot be called any more, and the new ones not yet.
                gateway.remove_source(&id);
                RegistrationState::Waiting { until: now + CONNECT_WITHIN, calls }
            }
            None => {
                if replaced == Some(true) {
                    gateway.replace_source(source.clone());
                } else {
                    gateway.add_source(source.clone()).map_err(|_| taken(&id))?;
                }
                RegistrationState::Active { until: now + ttl }
            }
        };
        let generation = self.generations.fetch_add(1, Ordering::Relaxed);
        let registration = Registration { source, state, ttl, generation };
        let status = registration.status(&id, now);
        entries.insert(id, registration);
        self.changed.notify_one();
        Ok(status)
    }

    /// Whether this id belongs to another source, or there are too many registrations.
    fn check_room(
        &self,
        id: &SourceId,
        gateway: &Gateway,
        entries: &BTreeMap<SourceId, Registration>,
    ) -> Result<(), OperationError> {
        if entries.contains_key(id) {
            return Ok(());
        }
        if gateway.source(id).is_some() {
            return Err(taken(id));
        }
        if entries.len() >= MAX_REGISTRATIONS {
            let message = format!("there are {MAX_REGISTRATIONS} registrations already");
            let error = OperationError::new(ErrorCode::TooManyRequests, message);
            return Err(error.hint("remove one with `toolscout registration remove ID`"));
        }
        Ok(())
    }

    /// Whether the same definitions are registered already, for the same receiver of calls.
    pub(crate) fn has_same(&self, source: &RegisteredSource) -> bool {
        let entries = self.entries.lock();
        entries.get(source.id()).is_some_and(|registration| {
            let registered = &registration.source;
            registered.entry == source.entry && registered.definitions == source.definitions
        })
    }

    /// Extends a registration by its lifetime, counted from now, or by another lifetime.
    pub(crate) fn renew(
        &self,
        id: &str,
        ttl: Option<Duration>,
    ) -> Result<RegistrationStatus, OperationError> {
        let now = Instant::now();
        let mut entries = self.entries.lock();
        let (id, registration) =
            entries.iter_mut().find(|(key, _)| key.as_str() == id).ok_or_else(unknown)?;
        registration.ttl = ttl.unwrap_or(registration.ttl);
        if let RegistrationState::Active { until } = &mut registration.state {
            *until = now + registration.ttl;
        }
        self.changed.notify_one();
        Ok(registration.status(id, now))
    }

    /// Ends a registration; false if there is none.
    pub(crate) fn remove(&self, gateway: &Gateway, id: &str) -> bool {
        self.remove_if(gateway, |key, _| key.as_str() == id) > 0
    }

    /// Opens the stream of calls: from now on the tools are in the catalog.
    pub(crate) fn connect(
        &self,
        gateway: &Gateway,
        id: &str,
    ) -> Result<ProgramConnection, OperationError> {
        let mut entries = self.entries.lock();
        let (id, registration) =
            entries.iter_mut().find(|(key, _)| key.as_str() == id).ok_or_else(unknown)?;
        if !matches!(registration.state, RegistrationState::Waiting { .. }) {
            let message = format!("`{id}` waits for no connection");
            let error = OperationError::new(ErrorCode::Conflict, message);
            return Err(error.hint("register without `callback` first: POST /api/tools"));
        }
        gateway.add_source(registration.source.clone()).map_err(|_| taken(id))?;
        let before = std::mem::replace(&mut registration.state, RegistrationState::Connected);
        self.changed.notify_one();
        match before {
            RegistrationState::Waiting { calls, .. } => {
                let generation = registration.generation;
                Ok(ProgramConnection { id: id.clone(), calls, generation })
            }
            _ => Err(unknown()),
        }
    }

    /// Ends the registration of a connection that was closed.
    pub(crate) fn disconnect(&self, gateway: &Gateway, id: &SourceId, generation: u64) {
        self.remove_if(gateway, |key, registration| {
            key == id && registration.generation == generation
        });
    }

    /// Passes the result of a call on.
    pub(crate) fn answer(
        &self,
        id: &str,
        call: &str,
        output: ToolOutput,
    ) -> Result<(), OperationError> {
        let source = {
            let entries = self.entries.lock();
            let found = entries.iter().find(|(key, _)| key.as_str() == id);
            found.map(|(_, registration)| registration.source.clone()).ok_or_else(unknown)?
        };
        match &source.delivery {
            Delivery::Connection(queue) if queue.answer(call, output) => Ok(()),
            _ => {
                let error = OperationError::new(ErrorCode::ResourceNotFound, "Call not found");
                Err(error.hint("it was answered, cancelled, or took too long"))
            }
        }
    }

    /// All registrations, by id.
    pub(crate) fn list(&self) -> Vec<RegistrationStatus> {
        let now = Instant::now();
        self.entries.lock().iter().map(|(id, entry)| entry.status(id, now)).collect()
    }

    /// The sources of registrations, for a new configuration with these sources. A configured source
    /// ends a registration with the same id.
    pub fn sources_beside(&self, configured: &[Arc<dyn Source>]) -> Vec<Arc<dyn Source>> {
        let mut entries = self.entries.lock();
        entries.retain(|id, _| configured.iter().all(|source| source.id() != id));
        let in_catalog = entries.values().filter(|registration| registration.is_in_catalog());
        in_catalog.map(|entry| entry.source.clone() as Arc<dyn Source>).collect()
    }

    /// Applies the registrations that were added, replaced or ended while a configuration with these
    /// `registered` sources was being published.
    pub fn reconcile(&self, gateway: &Gateway, registered: &[Arc<dyn Source>]) {
        let entries = self.entries.lock();
        for source in registered {
            if !entries.get(source.id()).is_some_and(Registration::is_in_catalog) {
                gateway.remove_source(source.id());
            }
        }
        for registration in entries.values().filter(|registration| registration.is_in_catalog()) {
            let source = registration.source.clone() as Arc<dyn Source>;
            let is_published = registered.iter().any(|published| Arc::ptr_eq(published, &source));
            if !is_published && gateway.replace_source(source.clone()).is_none() {
                let _ = gateway.add_source(source);
            }
        }
    }

    /// Removes expired registrations; returns when the next one expires.
    fn remove_expired(&self, gateway: &Gateway) -> Option<Instant> {
        let now = Instant::now();
        self.remove_if(gateway, |_, registration| {
            registration.until().is_some_and(|until| until <= now)
        });
        self.entries.lock().values().filter_map(Registration::until).min()
    }

    fn remove_if(
        &self,
        gateway: &Gateway,
        is_ended: impl Fn(&SourceId, &Registration) -> bool,
    ) -> usize {
        let mut entries = self.entries.lock();
        let ended = entries.extract_if(.., |id, registration| is_ended(id, registration));
        let ended: Vec<_> = ended.collect();
        for (id, _) in &ended {
            gateway.remove_source(id);
            tracing::info!(event = "registration_ended", source = %id);
        }
        if !ended.is_empty() {
            self.changed.notify_one();
        }
        ended.len()
    }
}

impl Registration {
    fn is_in_catalog(&self) -> bool {
        !matches!(self.state, RegistrationState::Waiting { .. })
    }

    fn until(&self) -> Option<Instant> {
        match self.state {
            RegistrationState::Active { until } | RegistrationState::Waiting { until, .. } => {
                Some(until)
            }
            RegistrationState::Connected => None,
        }
    }

    fn status(&self, id: &SourceId, now: Instant) -> RegistrationStatus {
        let state = match self.state {
            RegistrationState::Active { .. } => "active",
            RegistrationState::Waiting { .. } => "waiting",
            RegistrationState::Connected => "connected",
        };
        let callback = match &self.source.delivery {
            Delivery::Callback(callback) => Some(callback.display_url()),
            _ => None,
        };
        let remaining = self.until().map(|until| until.saturating_duration_since(now));
        RegistrationStatus {
            id: id.clone(),
            state,
            callback,
            tools: self.source.tool_names(),
            expires: remaining.map(|remaining| Moment::now().after(remaining)),
        }
    }
}

fn unknown() -> OperationError {
    OperationError::not_found("Registration").hint("register the tools again: POST /api/tools")
}

fn taken(id: &SourceId) -> OperationError {
    let message = format!("the id `{id}` belongs to another source of this project");
    OperationError::new(ErrorCode::DuplicateServer, message).hint("choose another `source`")
}
