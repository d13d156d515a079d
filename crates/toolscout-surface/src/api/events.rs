//! What happens, told to those who look on at `/api/events`: as it happens, and never in the way of who does it.

use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::broadcast;
use toolscout_core::event::{
    CallEvent, CallOutcome, DecisionEvent, DiscoveryEvent, Event, EventKind, Observer, SearchEvent,
};
use toolscout_core::redact;

/// Events that may wait for somebody who reads slowly; the oldest go first.
const WAITING: usize = 256;
/// Hits of a search that are told.
const HITS: usize = 20;

/// Tells everybody who looks on. Cloning gives another handle on the same.
#[derive(Clone)]
pub struct Events(broadcast::Sender<Arc<Told>>);

/// Something that has happened, as it is told.
#[derive(Debug)]
pub(super) struct Told {
    /// `discovery`, `search`, `call` or `decision`.
    pub(super) kind: &'static str,
    pub(super) json: String,
    /// What others do is for operators only.
    pub(super) is_for_agents: bool,
}

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING))
    }
}

impl Events {
    /// From now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<Arc<Told>> {
        self.0.subscribe()
    }
}

impl Observer for Events {
    fn observe(&self, event: &Event) {
        if self.0.receiver_count() == 0 {
            return;
        }
        if let Some((kind, mut said)) = said(&event.kind) {
            said["at"] = event.at.to_string().into();
            said["tookMs"] = u64::try_from(event.took.as_millis()).unwrap_or(u64::MAX).into();
            if kind != "discovery" {
                said["caller"] = event.requester.caller.word().into();
                for (name, value) in [("client", &event.requester.client), ("session", &event.requester.session)] {
                    value.iter().for_each(|it| said[name] = Value::from(&**it));
                }
            }
            let told = Told { kind, json: said.to_string(), is_for_agents: kind == "discovery" };
            let _ = self.0.send(Arc::new(told));
        }
    }
}

fn said(kind: &EventKind) -> Option<(&'static str, Value)> {
    Some(match kind {
        EventKind::DiscoveryStarted(server) => ("discovery", json!({"server": server.as_str(), "phase": "begun"})),
        EventKind::Discovery(it) => ("discovery", discovered(it)),
        EventKind::Search(it) => ("search", searched(it)),
        EventKind::Call(it) => ("call", called(it)),
        EventKind::Decision(DecisionEvent { about, which, word, by }) => {
            ("decision", json!({"about": about, "which": which, "word": word, "by": by}))
        }
        EventKind::ContextUse(_) => return None,
    })
}

fn discovered(it: &DiscoveryEvent) -> Value {
    let phase = if it.error.is_some() { "failed" } else { "done" };
    let mut said =
        json!({"server": it.source.as_str(), "phase": phase, "tools": it.names.len(), "changed": it.changed});
    it.error.iter().for_each(|error| said["error"] = redact::text(error).into());
    said
}

fn searched(it: &SearchEvent) -> Value {
    let hits = it.hits.iter().take(HITS).map(|(tool, score)| json!({"tool": tool.to_string(), "score": score}));
    json!({"text": it.text, "profile": it.profile, "found": it.hits.len(), "hits": hits.collect::<Vec<_>>()})
}

/// Without the arguments: what is in them is the caller's.
fn called(it: &CallEvent) -> Value {
    let (outcome, error) = match &it.outcome {
        CallOutcome::Succeeded(_) => ("done", None),
        CallOutcome::ToolError(_) => ("failed", None),
        CallOutcome::InputRequired => ("wants-input", None),
        CallOutcome::Failed { message, .. } => ("refused", Some(redact::text(message))),
        CallOutcome::Cancelled => ("cancelled", None),
    };
    let mut said = json!({"tool": it.tool.to_string(), "outcome": outcome});
    it.policy.iter().for_each(|policy| said["policy"] = policy.word().into());
    error.into_iter().for_each(|error| said["error"] = error.into());
    said
}
