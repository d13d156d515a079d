//! Broadcasts events to every client that follows them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::broadcast;
use toolscout_core::cx::Role;
use toolscout_core::event::{
    CallEvent, CallOutcome, DecisionEvent, DiscoveryEvent, Event, EventKind, Observer, SearchEvent,
};
use toolscout_core::{Moment, SourceId, redact};

/// Events queued for a slow client; the oldest are dropped first.
const QUEUE_CAPACITY: usize = 256;
/// The maximum number of search results in an event.
const MAX_RESULTS: usize = 20;

/// Broadcasts events to all subscribers. Clones share the broadcast.
#[derive(Clone)]
pub struct EventBroadcast(broadcast::Sender<Arc<StreamedEvent>>);

/// An event as clients see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct StreamedEvent {
    #[serde(skip)]
    pub(crate) kind: &'static str,
    pub(crate) data: Value,
}

impl StreamedEvent {
    pub(crate) fn new(kind: &'static str, mut data: Value) -> Self {
        data["event"] = kind.into();
        Self { kind, data }
    }

    /// Whether this role may see the event: only operators see the activity of other clients.
    pub(crate) fn is_for(&self, role: Role) -> bool {
        role == Role::Operator || matches!(self.kind, "discovery" | "server")
    }
}

/// What happened to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerChange {
    Created,
    Updated,
    Deleted,
    Discovered,
    Failed,
}

impl ServerChange {
    fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Discovered => "discovered",
            Self::Failed => "failed",
        }
    }
}

impl EventBroadcast {
    /// Reports a change of a server.
    pub(crate) fn emit_server(&self, id: &SourceId, change: ServerChange) {
        let at = Moment::now().to_string();
        let data = json!({"serverId": id.as_str(), "action": change.as_str(), "at": at});
        // Without subscribers there is no receiver, which is not an error.
        let _ = self.0.send(Arc::new(StreamedEvent::new("server", data)));
    }

    /// Subscribes to events from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<StreamedEvent>> {
        self.0.subscribe()
    }
}

impl Default for EventBroadcast {
    fn default() -> Self {
        Self(broadcast::Sender::new(QUEUE_CAPACITY))
    }
}

impl Observer for EventBroadcast {
    fn observe(&self, event: &Event) {
        if self.0.receiver_count() == 0 {
            return;
        }
        let Some((kind, mut data)) = describe(&event.kind) else { return };
        data["at"] = event.at.to_string().into();
        data["durationMs"] = u64::try_from(event.took.as_millis()).unwrap_or(u64::MAX).into();
        if kind != "discovery" {
            data["caller"] = event.requester.caller.as_str().into();
            for (name, value) in
                [("client", &event.requester.client), ("session", &event.requester.session)]
            {
                value.iter().for_each(|value| data[name] = Value::from(&**value));
            }
        }
        let _ = self.0.send(Arc::new(StreamedEvent::new(kind, data)));
        // After the details, so that a client that waits for this event has them.
        if let EventKind::Discovery(DiscoveryEvent { source, error, .. }) = &event.kind {
            let failed = error.is_some();
            let change = if failed { ServerChange::Failed } else { ServerChange::Discovered };
            self.emit_server(source, change);
        }
    }
}

fn describe(kind: &EventKind) -> Option<(&'static str, Value)> {
    Some(match kind {
        EventKind::DiscoveryStarted(start) => {
            ("discovery", json!({"server": start.source.as_str(), "phase": "started"}))
        }
        EventKind::Discovery(event) => ("discovery", discovery(event)),
        EventKind::Search(event) => ("search", search(event)),
        EventKind::Call(event) => ("call", call(event)),
        EventKind::Decision(DecisionEvent { kind, subject, action, by }) => (
            "decision",
            json!({"subjectType": kind, "subject": subject, "decision": action, "by": by}),
        ),
        EventKind::CallStarted(_) | EventKind::ContextUse(_) | EventKind::Operation(_) => {
            return None;
        }
    })
}

fn discovery(event: &DiscoveryEvent) -> Value {
    let phase = if event.error.is_some() { "failed" } else { "succeeded" };
    let (server, tools) = (event.source.as_str(), event.names.len());
    let mut data =
        json!({"server": server, "phase": phase, "tools": tools, "changed": event.changed});
    event.error.iter().for_each(|error| data["error"] = redact::text(error).into());
    data
}

fn search(event: &SearchEvent) -> Value {
    let hits = event
        .hits
        .iter()
        .take(MAX_RESULTS)
        .map(|(tool, score)| json!({"id": tool.to_string(), "score": score}));
    json!({"query": event.text, "profile": event.profile, "found": event.hits.len(), "hits": hits.collect::<Vec<_>>()})
}

/// The event of a call, without the arguments: they are private to the caller.
fn call(event: &CallEvent) -> Value {
    let (outcome, error) = match &event.outcome {
        CallOutcome::Succeeded(_) => ("succeeded", None),
        CallOutcome::ToolError(_) => ("toolError", None),
        CallOutcome::InputRequired => ("inputRequired", None),
        CallOutcome::Pending => ("pending", None),
        CallOutcome::Failed { message, .. } => ("failed", Some(redact::text(message))),
        CallOutcome::Cancelled => ("cancelled", None),
    };
    let mut data = json!({"tool": event.tool.to_string(), "outcome": outcome});
    event.policy.iter().for_each(|policy| data["policy"] = policy.as_str().into());
    error.into_iter().for_each(|error| data["error"] = error.into());
    data
}
