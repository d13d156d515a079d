//! A queued journal entry. The observer copies the part of the event that is stored; the batch
//! writer redacts and serializes it later.

use super::abridge::{copy, prefix, redact_all, redact_and_truncate};
use super::entry::{EntryDetails, RecordedHit, RecordedOutcome, RequesterRecord};
use serde_json::{Map, Value};
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, CallStart, ContextUse, DecisionEvent, DiscoveryEvent, Event, EventKind,
    Requester, SearchEvent,
};
use toolscout_core::{ErrorKind, Moment, SourceId};
use toolscout_store::journal::JournalRecord;

/// Maximum number of hits stored per search.
const MAX_HITS: usize = 20;
/// Maximum number of notes stored per search.
const MAX_NOTES: usize = 4;
/// Maximum length in bytes of a query or an error message.
const MAX_TEXT_BYTES: usize = 500;
/// Maximum length in bytes of a name that a client reports about itself.
const MAX_NAME_BYTES: usize = 120;

/// A copy of an event, not yet redacted.
pub(crate) struct JournalNote {
    at: Moment,
    took: Duration,
    requester: Requester,
    /// The trace id, if the client sent a trace context.
    trace: Option<[u8; 16]>,
    event: NotedEvent,
}

enum NotedEvent {
    Discovered {
        source: SourceId,
        tools: usize,
        cache_miss: bool,
        changed: bool,
        error: Option<String>,
    },
    Searched(SearchEvent),
    Called(CallEvent, Value),
    Decided(DecisionEvent),
    ContextUsed(ContextUse),
}

impl JournalNote {
    /// Copies the part of an event that is stored, with a bounded size. Returns none for events
    /// that the journal does not record.
    pub(crate) fn from_event(event: &Event) -> Option<Self> {
        let Event { at, took, requester, span, kind } = event;
        let noted = match kind {
            EventKind::DiscoveryStarted(_)
            | EventKind::CallStarted(_)
            | EventKind::Operation(_) => return None,
            EventKind::Discovery(DiscoveryEvent {
                source,
                names,
                was_uncached,
                changed,
                error,
            }) => NotedEvent::Discovered {
                source: source.clone(),
                tools: names.len(),
                cache_miss: *was_uncached,
                changed: *changed,
                error: error.as_deref().map(prefix),
            },
            EventKind::Search(SearchEvent { text, profile, hits, notes }) => {
                NotedEvent::Searched(SearchEvent {
                    text: prefix(text),
                    profile,
                    hits: hits.iter().take(MAX_HITS).cloned().collect(),
                    notes: notes.iter().take(MAX_NOTES).map(|note| prefix(note)).collect(),
                })
            }
            EventKind::Call(called) => {
                let CallEvent { tool, digest, arguments, policy, outcome } = called;
                let (tool, outcome) = (tool.clone(), truncate_outcome(outcome));
                let without_arguments = CallEvent {
                    tool,
                    digest: *digest,
                    arguments: Map::new(),
                    policy: *policy,
                    outcome,
                };
                NotedEvent::Called(without_arguments, copy(arguments))
            }
            EventKind::Decision(decided) => NotedEvent::Decided(decided.clone()),
            EventKind::ContextUse(used) => NotedEvent::ContextUsed(used.clone()),
        };
        Some(Self {
            at: *at,
            took: *took,
            requester: requester.clone(),
            trace: span.parent.map(|_| span.trace),
            event: noted,
        })
    }

    /// The body of the record that a call gets if this process is killed during it. It has no
    /// arguments: to redact them before every call would take longer than everything else.
    pub(crate) fn interrupted_call(event: &Event, start: &CallStart) -> String {
        let details = EntryDetails::Call {
            tool: start.tool.to_string(),
            digest: start.digest.map(|digest| digest.to_string()),
            arguments: Value::Object(Map::new()),
            policy: None,
            outcome: RecordedOutcome::Interrupted,
            bytes: None,
            error_kind: None,
            error: None,
        };
        let trace = event.span.parent.map(|_| event.span.trace);
        format!("{{{}}}", fields_of(&requester_record(&event.requester, trace), &details))
    }

    /// Redacts the event and serializes it.
    pub(crate) fn into_record(self) -> JournalRecord {
        let took = (self.took.as_secs_f64() * 1_000_000.0).round() / 1_000.0;
        let details = entry_details(self.event);
        let fields = fields_of(&requester_record(&self.requester, self.trace), &details);
        let body = format!(r#"{{"durationMs":{took},{fields}}}"#);
        JournalRecord { at: self.at, kind: kind(&details), body }
    }
}

/// The fields of a record, without braces. They are written as text, without a
/// `serde_json::Value` in between: that was most of the cost of a record in a busy process.
fn fields_of(requester: &RequesterRecord, details: &EntryDetails) -> String {
    let (requester, kind, details) = (json(requester), kind(details), json(details));
    let details_without_kind = fields(&details)
        .strip_prefix(r#""kind":""#)
        .and_then(|rest| rest.strip_prefix(kind)?.strip_prefix('"'))
        .unwrap_or_default()
        .trim_start_matches(',');
    let parts = [fields(&requester), details_without_kind];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",")
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The text between the braces of a JSON object.
fn fields(object: &str) -> &str {
    object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default()
}

fn truncate_outcome(outcome: &CallOutcome) -> CallOutcome {
    match outcome {
        CallOutcome::Failed { kind, message } => {
            CallOutcome::Failed { kind: *kind, message: prefix(message) }
        }
        other => other.clone(),
    }
}

fn requester_record(requester: &Requester, trace: Option<[u8; 16]>) -> RequesterRecord {
    let name = |text: &Option<std::sync::Arc<str>>| {
        text.as_deref().map(|value| redact_and_truncate(value, MAX_NAME_BYTES))
    };
    RequesterRecord {
        caller: Some(requester.caller.as_str().to_owned()),
        user: name(&requester.user),
        token: name(&requester.token),
        client: name(&requester.client),
        session: name(&requester.session),
        project: requester.project.as_ref().map(|project| project.display().to_string()),
        trace: trace.map(|trace| format!("{:032x}", u128::from_be_bytes(trace))),
    }
}

fn entry_details(noted: NotedEvent) -> EntryDetails {
    match noted {
        NotedEvent::Discovered { source, tools, cache_miss, changed, error } => {
            EntryDetails::Discovery {
                source: source.to_string(),
                tools: tools as u64,
                cache_miss,
                changed,
                error: error.map(|error| redact_and_truncate(&error, MAX_TEXT_BYTES)),
            }
        }
        NotedEvent::Searched(SearchEvent { text, profile, hits, notes }) => EntryDetails::Search {
            query: redact_and_truncate(&text, MAX_TEXT_BYTES),
            profile: profile.to_owned(),
            hits: hits
                .into_iter()
                .map(|(id, score)| RecordedHit { id: id.to_string(), score: rounded(score) })
                .collect(),
            notes: notes.iter().map(|note| redact_and_truncate(note, MAX_TEXT_BYTES)).collect(),
        },
        NotedEvent::Called(called, arguments) => call(called, arguments),
        NotedEvent::Decided(DecisionEvent { kind, subject, action, by }) => {
            EntryDetails::Decision {
                subject_type: kind.to_owned(),
                subject: redact_and_truncate(&subject, MAX_TEXT_BYTES),
                decision: action.to_owned(),
                by: redact_and_truncate(&by, MAX_NAME_BYTES),
            }
        }
        NotedEvent::ContextUsed(ContextUse { form, tools, tokens, catalog }) => {
            EntryDetails::Context {
                form: form.to_owned(),
                tools: tools as u64,
                tokens: tokens as u64,
                all_tools: catalog.map(|catalog| catalog.tools as u64),
                all_tokens: catalog.map(|catalog| catalog.tokens as u64),
            }
        }
    }
}

fn call(called: CallEvent, arguments: Value) -> EntryDetails {
    let (outcome, bytes, error) = match called.outcome {
        CallOutcome::Succeeded(bytes) => (RecordedOutcome::Succeeded, Some(bytes), None),
        CallOutcome::ToolError(bytes) => (RecordedOutcome::ToolError, Some(bytes), None),
        CallOutcome::InputRequired => (RecordedOutcome::InputRequired, None, None),
        CallOutcome::Pending => (RecordedOutcome::Pending, None, None),
        CallOutcome::Failed { kind, message } => {
            (RecordedOutcome::Failed, None, Some((kind, message)))
        }
        CallOutcome::Cancelled => (RecordedOutcome::Cancelled, None, None),
    };
    EntryDetails::Call {
        tool: called.tool.to_string(),
        digest: called.digest.map(|digest| digest.to_string()),
        arguments: redact_all(arguments),
        policy: called.policy.map(|policy| policy.as_str().to_owned()),
        outcome,
        bytes: bytes.map(|byte| byte as u64),
        error_kind: error.as_ref().map(|(kind, _)| error_kind_name(*kind).to_owned()),
        error: error.map(|(_, message)| redact_and_truncate(&message, MAX_TEXT_BYTES)),
    }
}

/// Rounds to four decimal places, as search results do.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

fn kind(details: &EntryDetails) -> &'static str {
    match details {
        EntryDetails::Discovery { .. } => "discovery",
        EntryDetails::Search { .. } => "search",
        EntryDetails::Call { .. } => "call",
        EntryDetails::Decision { .. } => "decision",
        EntryDetails::Context { .. } => "context",
        EntryDetails::Dropped { .. } => "dropped",
        EntryDetails::Repaired { .. } => "repaired",
    }
}

/// The name of an error kind in the journal.
fn error_kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "notFound",
        ErrorKind::Invalid => "invalid",
        ErrorKind::Refused => REFUSED,
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::TimedOut => "timedOut",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Failed => "failed",
        _ => "internal",
    }
}

/// The error kind of a call that was refused.
pub(crate) const REFUSED: &str = "refused";
