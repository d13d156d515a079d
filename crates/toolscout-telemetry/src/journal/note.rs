//! A queued journal entry. The observer copies the part of the event that is stored; the batch
//! writer redacts and serializes it later.

use super::abridge::{beginning, copy, cut, safe};
use super::entry::{EntryDetails, RecordedHit, RecordedOutcome, RequesterRecord};
use serde_json::{Map, Value};
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, ContextUse, DecisionEvent, DiscoveryEvent, Event, EventKind, Requester,
    SearchEvent,
};
use toolscout_core::{ErrorKind, Moment, SourceId};
use toolscout_store::journal::JournalRecord;

/// Maximum number of hits stored per search.
const HITS: usize = 20;
/// Maximum number of notes stored per search.
const NOTES: usize = 4;
/// Maximum length in bytes of a query or an error message.
const TEXT: usize = 500;
/// Maximum length in bytes of a name that a client reports about itself.
const NAME: usize = 120;

/// A copy of an event, not yet redacted.
pub(crate) struct JournalNote {
    at: Moment,
    took: Duration,
    who: Requester,
    /// The trace id, if the client sent a trace context.
    trace: Option<[u8; 16]>,
    what: NotedEvent,
}

enum NotedEvent {
    Discovered {
        source: SourceId,
        tools: usize,
        needed: bool,
        changed: bool,
        error: Option<String>,
    },
    Searched(SearchEvent),
    Called(CallEvent, Value),
    Decided(DecisionEvent),
    Shown(ContextUse),
}

impl JournalNote {
    /// Copies the part of an event that is stored, with a bounded size. Returns none for events
    /// that the journal does not record.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let Event { at, took, requester, span, kind } = event;
        let what = match kind {
            EventKind::DiscoveryStarted(_) | EventKind::Operation(_) => return None,
            EventKind::Discovery(DiscoveryEvent { source, names, was_needed, changed, error }) => {
                NotedEvent::Discovered {
                    source: source.clone(),
                    tools: names.len(),
                    needed: *was_needed,
                    changed: *changed,
                    error: error.as_deref().map(beginning),
                }
            }
            EventKind::Search(SearchEvent { text, profile, hits, notes }) => {
                NotedEvent::Searched(SearchEvent {
                    text: beginning(text),
                    profile,
                    hits: hits.iter().take(HITS).cloned().collect(),
                    notes: notes.iter().take(NOTES).map(|it| beginning(it)).collect(),
                })
            }
            EventKind::Call(called) => {
                let CallEvent { tool, digest, arguments, policy, outcome } = called;
                let (tool, outcome) = (tool.clone(), shortened(outcome));
                let kept = CallEvent {
                    tool,
                    digest: *digest,
                    arguments: Map::new(),
                    policy: *policy,
                    outcome,
                };
                NotedEvent::Called(kept, copy(arguments))
            }
            EventKind::Decision(decided) => NotedEvent::Decided(decided.clone()),
            EventKind::ContextUse(shown) => NotedEvent::Shown(shown.clone()),
        };
        Some(Self {
            at: *at,
            took: *took,
            who: requester.clone(),
            trace: span.parent.map(|_| span.trace),
            what,
        })
    }

    /// Redacts the event and serializes it.
    pub(crate) fn into_record(self) -> JournalRecord {
        let took = (self.took.as_secs_f64() * 1_000_000.0).round() / 1_000.0;
        let what = what(self.what);
        let kind = kind(&what);
        // The fields are written as text, without a `serde_json::Value` in between: that was most
        // of the cost of a record in a busy process.
        let mut body = format!(r#"{{"tookMs":{took}"#);
        let (who, what) = (json(&party(&self.who, self.trace)), json(&what));
        let of_kind = fields(&what)
            .strip_prefix(r#""kind":""#)
            .and_then(|it| it.strip_prefix(kind)?.strip_prefix('"'));
        for part in [fields(&who), of_kind.unwrap_or_default().trim_start_matches(',')] {
            if !part.is_empty() {
                body.push(',');
                body.push_str(part);
            }
        }
        body.push('}');
        JournalRecord { at: self.at, kind, body }
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The text between the braces of a JSON object.
fn fields(object: &str) -> &str {
    object.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or_default()
}

fn shortened(outcome: &CallOutcome) -> CallOutcome {
    match outcome {
        CallOutcome::Failed { kind, message } => {
            CallOutcome::Failed { kind: *kind, message: beginning(message) }
        }
        other => other.clone(),
    }
}

fn party(who: &Requester, trace: Option<[u8; 16]>) -> RequesterRecord {
    let name = |it: &Option<std::sync::Arc<str>>| it.as_deref().map(|it| cut(it, NAME));
    RequesterRecord {
        caller: Some(who.caller.word().to_owned()),
        user: name(&who.user),
        client: name(&who.client),
        session: name(&who.session),
        project: who.project.as_ref().map(|it| it.display().to_string()),
        trace: trace.map(|it| format!("{:032x}", u128::from_be_bytes(it))),
    }
}

fn what(noted: NotedEvent) -> EntryDetails {
    match noted {
        NotedEvent::Discovered { source, tools, needed, changed, error } => {
            EntryDetails::Discovery {
                source: source.to_string(),
                tools: tools as u64,
                needed,
                changed,
                error: error.map(|it| cut(&it, TEXT)),
            }
        }
        NotedEvent::Searched(SearchEvent { text, profile, hits, notes }) => EntryDetails::Search {
            query: cut(&text, TEXT),
            profile: profile.to_owned(),
            hits: hits
                .into_iter()
                .map(|(id, score)| RecordedHit { id: id.to_string(), score: rounded(score) })
                .collect(),
            notes: notes.iter().map(|it| cut(it, TEXT)).collect(),
        },
        NotedEvent::Called(called, arguments) => call(called, arguments),
        NotedEvent::Decided(DecisionEvent { about, which, word, by }) => EntryDetails::Decision {
            about: about.to_owned(),
            which: cut(&which, TEXT),
            decision: word.to_owned(),
            by: cut(&by, NAME),
        },
        NotedEvent::Shown(ContextUse { what, tools, tokens, whole }) => EntryDetails::Shown {
            what: what.to_owned(),
            tools: tools as u64,
            tokens: tokens as u64,
            all_tools: whole.map(|it| it.tools as u64),
            all_tokens: whole.map(|it| it.tokens as u64),
        },
    }
}

fn call(called: CallEvent, arguments: Value) -> EntryDetails {
    let (outcome, bytes, error) = match called.outcome {
        CallOutcome::Succeeded(bytes) => (RecordedOutcome::Done, Some(bytes), None),
        CallOutcome::ToolError(bytes) => (RecordedOutcome::ToolFailed, Some(bytes), None),
        CallOutcome::InputRequired => (RecordedOutcome::WantsInput, None, None),
        CallOutcome::Failed { kind, message } => {
            (RecordedOutcome::Failed, None, Some((kind, message)))
        }
        CallOutcome::Cancelled => (RecordedOutcome::Cancelled, None, None),
    };
    EntryDetails::Call {
        tool: called.tool.to_string(),
        digest: called.digest.map(|it| it.to_string()),
        arguments: safe(arguments),
        policy: called.policy.map(|it| it.word().to_owned()),
        outcome,
        bytes: bytes.map(|it| it as u64),
        error_kind: error.as_ref().map(|(kind, _)| word(*kind).to_owned()),
        error: error.map(|(_, message)| cut(&message, TEXT)),
    }
}

/// Rounds to four decimal places, as search results do.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

fn kind(what: &EntryDetails) -> &'static str {
    match what {
        EntryDetails::Discovery { .. } => "discovery",
        EntryDetails::Search { .. } => "search",
        EntryDetails::Call { .. } => "call",
        EntryDetails::Decision { .. } => "decision",
        EntryDetails::Shown { .. } => "shown",
        EntryDetails::Lost { .. } => "lost",
        EntryDetails::Mended { .. } => "mended",
    }
}

/// The name of an error kind in the journal.
fn word(kind: ErrorKind) -> &'static str {
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
