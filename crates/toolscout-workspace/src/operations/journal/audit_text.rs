//! Audit pages and their verification, as text.

use toolscout_core::{counted, escape};
use toolscout_telemetry::audit::{AuditPage, AuditVerification};
use toolscout_telemetry::journal::{EntryDetails, JournalEntry, RecordedOutcome};

/// A page of the journal as text, oldest first, so that the newest record is next to the prompt.
pub(super) fn page(page: &AuditPage) -> String {
    page.entries.iter().rev().map(line).collect()
}

/// The result of checking the journal, as text.
pub(super) fn verification(verified: &AuditVerification) -> String {
    let mut out = match (verified.first, verified.last) {
        _ if verified.valid && verified.replicas.is_some() => {
            let records = counted(verified.records as usize, "record");
            let replicas = counted(verified.replicas.unwrap_or_default() as usize, "replica");
            format!("The audit log is intact: {records} of {replicas}\n")
        }
        (Some(first), Some(last)) if verified.valid => {
            let records = counted(verified.records as usize, "record");
            format!("The audit log is intact: {records}, from {first} to {last}\n")
        }
        _ if verified.valid => "The audit log is intact: no records\n".to_owned(),
        _ => {
            let breaks = counted(verified.breaks.len(), "break");
            let records = counted(verified.records as usize, "record");
            format!("The audit log is damaged: {breaks} in {records}\n")
        }
    };
    for broken in &verified.breaks {
        out += &format!(
            "  {}\n    {}\n",
            escape::line(&broken.location),
            escape::line(&broken.reason)
        );
    }
    for note in &verified.notes {
        out += &format!("  note: {}\n", escape::line(note));
    }
    if verified.valid && verified.first.is_some_and(|first| first > 1) {
        out += "  note: older entries were dropped to limit the size of the audit log\n";
    }
    out
}

/// One record as a line: number, time, replica, client, event.
fn line(entry: &JournalEntry) -> String {
    let client =
        entry.requester.client.as_deref().or(entry.requester.caller.as_deref()).unwrap_or("-");
    let replica = entry.replica.iter().map(|name| format!("{name}  ")).collect::<String>();
    let text = format!("{:>6}  {}  {replica}{client}  {}", entry.n, entry.at, event_text(entry));
    escape::line(&text).into_owned() + "\n"
}

fn event_text(entry: &JournalEntry) -> String {
    let took =
        entry.duration_ms.map(|millis| format!(", {}", duration(millis))).unwrap_or_default();
    match &entry.details {
        EntryDetails::Discovery { source, error: Some(error), .. } => {
            format!("discovery of {source} failed{took}: {error}")
        }
        EntryDetails::Discovery { source, tools, changed, .. } => {
            let suffix = if *changed { ", changed" } else { "" };
            format!("discovery of {source}: {}{suffix}{took}", counted(*tools as usize, "tool"))
        }
        EntryDetails::Search { query, hits, .. } => match hits.first() {
            Some(first) => {
                format!("search `{query}`: {} found, first {}{took}", hits.len(), first.id)
            }
            None => format!("search `{query}`: nothing found{took}"),
        },
        EntryDetails::Call { tool, arguments, outcome, bytes, error, error_kind, .. } => {
            let word = if error_kind.as_deref() == Some("refused") {
                "refused"
            } else {
                outcome_text(*outcome)
            };
            let error = error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
            let bytes = bytes.map(|count| format!(", {count} bytes")).unwrap_or_default();
            format!("call {tool} {arguments} {word}{bytes}{took}{error}")
        }
        EntryDetails::Decision { subject_type, subject, decision, by } => {
            format!("{subject_type} {subject}: {decision} by {by}")
        }
        EntryDetails::Context { form, tools, tokens, .. } => {
            let tools = counted(*tools as usize, "tool");
            format!("context {form}: {tools}, at most {}", counted(*tokens as usize, "token"))
        }
        EntryDetails::Dropped { records } => {
            format!("{} lost here", counted(*records as usize, "record"))
        }
        EntryDetails::Repaired { reason } => format!("the audit log was repaired here: {reason}"),
    }
}

fn outcome_text(outcome: RecordedOutcome) -> &'static str {
    match outcome {
        RecordedOutcome::Succeeded => "succeeded",
        RecordedOutcome::ToolError => "tool error",
        RecordedOutcome::InputRequired => "input required",
        RecordedOutcome::Pending => "pending approval",
        RecordedOutcome::Failed => "failed",
        RecordedOutcome::Cancelled => "cancelled",
        RecordedOutcome::Interrupted => {
            "interrupted: toolscout was killed, and the tool may have run"
        }
    }
}

/// `830 ms`, `1.2 s`.
pub(super) fn duration(millis: f64) -> String {
    match millis {
        millis if millis < 10.0 => format!("{millis:.1} ms"),
        millis if millis < 1_000.0 => format!("{millis:.0} ms"),
        millis => format!("{:.1} s", millis / 1_000.0),
    }
}
