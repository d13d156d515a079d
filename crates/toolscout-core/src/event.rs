//! Events about requests, and the observers that receive them: the journal, traces, metrics, the
//! live view of the UI.
//!
//! A request carries its [`Observers`] in its [`Cx`], so every layer that works for it can emit
//! events. A request without observers gathers nothing and pays nothing.

mod kind;
mod span;

pub use kind::{
    CallEvent, CallOutcome, CallStart, CatalogSize, ContextUse, DecisionEvent, DiscoveryEvent,
    DiscoveryStart, EventKind, OperationEvent, SearchEvent,
};
pub use span::{Span, trace_context};

use crate::{Caller, Cx, Moment};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Receives events. It is called on the thread that emits, so it must neither block nor fail.
pub trait Observer: Send + Sync {
    /// An event was emitted.
    fn observe(&self, event: &Event);

    /// Whether outgoing requests must carry our span as their trace parent.
    fn traces(&self) -> bool {
        false
    }
}

/// The observers of a request. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Observers(Option<Arc<[Arc<dyn Observer>]>>);

impl Observers {
    /// Exactly these observers.
    pub fn new(all: Vec<Arc<dyn Observer>>) -> Self {
        Self((!all.is_empty()).then(|| all.into()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Observer>> {
        self.0.iter().flat_map(|all| all.iter())
    }
}

impl Observer for Observers {
    fn observe(&self, event: &Event) {
        self.all().for_each(|observer| observer.observe(event));
    }
}

/// Something that happened for a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Start time.
    pub at: Moment,
    /// Duration.
    pub took: Duration,
    /// The origin of the request.
    pub requester: Requester,
    /// Position in the trace of the request.
    pub span: Span,
    /// What happened.
    pub kind: EventKind,
}

/// The origin of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// The surface it came through.
    pub caller: Caller,
    /// The authenticated user.
    pub user: Option<Arc<str>>,
    /// The name of the access token.
    pub token: Option<Arc<str>>,
    /// Name and version the client reports.
    pub client: Option<Arc<str>>,
    /// The session it belongs to.
    pub session: Option<Arc<str>>,
    /// The project it is about.
    pub project: Option<Arc<PathBuf>>,
}

/// An event whose work is still running; [`finish`](Self::finish) emits it.
#[must_use = "an event is emitted only by `finish`"]
pub struct PendingEvent(Option<Box<Started>>);

struct Started {
    at: Moment,
    since: Instant,
    requester: Requester,
    span: Span,
    observers: Observers,
}

impl Cx {
    /// Starts an event. The returned context belongs to its span; use it for requests made while
    /// the event is pending.
    pub fn start_event(mut self) -> (Self, PendingEvent) {
        if self.observers.is_empty() {
            return (self, PendingEvent(None));
        }
        let span = Span::child_of(&self.trace);
        if self.observers.all().any(|observer| observer.traces()) {
            self.trace = span.propagate(&self.trace);
        }
        let (requester, observers) = (self.requester(), self.observers.clone());
        let started =
            Started { at: Moment::now(), since: Instant::now(), requester, span, observers };
        (self, PendingEvent(Some(Box::new(started))))
    }

    /// Emits an event without duration.
    pub fn emit(&self, kind: impl FnOnce() -> EventKind) {
        self.emit_since(Instant::now(), kind);
    }

    /// Emits an event that started at this instant and ends now.
    pub fn emit_since(&self, since: Instant, kind: impl FnOnce() -> EventKind) {
        if self.observers.is_empty() {
            return;
        }
        if let (_, PendingEvent(Some(mut started))) = self.clone().start_event() {
            let ago = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            (started.at, started.since) = (Moment(started.at.0.saturating_sub(ago)), since);
            PendingEvent(Some(started)).finish(kind);
        }
    }

    /// Emits a decision by the maker of this request: the kind of object, the object, and the word
    /// for the decision. The event names the role, the user and the surface of the maker.
    pub fn emit_decision(
        &self,
        kind: &'static str,
        subject: impl std::fmt::Display,
        action: &'static str,
    ) {
        self.emit_decision_by(kind, subject, action, self.decider());
    }

    /// Like [`emit_decision`](Self::emit_decision), for a decision by another person or by a rule.
    pub fn emit_decision_by(
        &self,
        kind: &'static str,
        subject: impl std::fmt::Display,
        action: &'static str,
        by: impl std::fmt::Display,
    ) {
        let (subject, by) = (|| subject.to_string(), || by.to_string());
        self.emit(|| {
            EventKind::Decision(DecisionEvent { kind, subject: subject(), action, by: by() })
        });
    }

    fn requester(&self) -> Requester {
        Requester {
            caller: self.caller,
            user: self.user.clone(),
            token: self.token.clone(),
            client: self.client.clone(),
            session: self.session.clone(),
            project: self.project.clone(),
        }
    }
}

impl PendingEvent {
    /// Whether there is an observer.
    pub fn is_observed(&self) -> bool {
        self.0.is_some()
    }

    /// Emits another event of the same span, before this one ends.
    pub fn announce(&self, kind: impl FnOnce() -> EventKind) {
        let Some(started) = &self.0 else { return };
        let Started { at, since, requester, span, observers } = &**started;
        let requester = requester.clone();
        observers.observe(&Event {
            at: *at,
            took: since.elapsed(),
            requester,
            span: *span,
            kind: kind(),
        });
    }

    /// Ends the event and emits it.
    pub fn finish(self, kind: impl FnOnce() -> EventKind) {
        let Some(started) = self.0 else { return };
        let Started { at, since, requester, span, observers } = *started;
        let event = Event { at, took: since.elapsed(), requester, span, kind: kind() };
        observers.observe(&event);
    }
}
