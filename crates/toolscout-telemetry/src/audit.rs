//! Reads pages of the journal, and verifies its chain.

use crate::journal::{EntryDetails, JournalEntry, REFUSED, RecordedOutcome};
use crate::{TelemetryError, since};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use toolscout_core::{Moment, Store, counted, escape};
use toolscout_store::journal::{self, JournalQuery, JournalReader, StoredLine};

/// Number of records on a page, unless the query sets a limit.
pub const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;

/// All kinds of records.
pub const KINDS: [&str; 7] =
    ["discovery", "search", "call", "decision", "context", "dropped", "repaired"];
/// Kinds that earlier versions wrote under another name: today's name, and theirs.
const RENAMED_KINDS: [(&str, &str); 3] =
    [("context", "shown"), ("dropped", "lost"), ("repaired", "mended")];
/// Outcomes of a call.
const OUTCOMES: [&str; 8] = [
    "succeeded",
    "toolError",
    "inputRequired",
    "pending",
    "failed",
    REFUSED,
    "cancelled",
    "interrupted",
];
/// Kinds of the timeline.
const TIMELINE: [&str; 6] = ["discovery", "search", "call", "decision", "dropped", "repaired"];
/// Kinds of the audit log.
const AUDIT: [&str; 4] = ["call", "decision", "dropped", "repaired"];

/// Where records are read from.
pub trait AuditLines {
    /// The newest matching lines, newest first, at most `limit`.
    fn newest(
        &self,
        query: &JournalQuery<'_>,
        limit: usize,
        is_selected: &dyn Fn(&str) -> bool,
    ) -> io::Result<Vec<AuditLine>>;
}

/// A record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// The position among all records of the source.
    pub position: u64,
    /// The replica that recorded it, if several do.
    pub replica: Option<String>,
    /// The line, a JSON object.
    pub text: String,
}

impl AuditLines for JournalReader {
    fn newest(
        &self,
        query: &JournalQuery<'_>,
        limit: usize,
        is_selected: &dyn Fn(&str) -> bool,
    ) -> io::Result<Vec<AuditLine>> {
        let lines = self.newest_where(query, limit, is_selected)?.into_iter();
        let line =
            |line: StoredLine| AuditLine { position: line.n, replica: None, text: line.text };
        Ok(lines.map(line).collect())
    }
}

/// Discoveries, searches, calls and decisions, newest first.
pub fn timeline(lines: &dyn AuditLines, page: &AuditQuery) -> Result<AuditPage, TelemetryError> {
    newest(lines, page, &TIMELINE)
}

/// Calls and decisions, newest first.
pub fn audit(lines: &dyn AuditLines, page: &AuditQuery) -> Result<AuditPage, TelemetryError> {
    newest(lines, page, &AUDIT)
}

fn newest(
    lines: &dyn AuditLines,
    page: &AuditQuery,
    default_kinds: &[&'static str],
) -> Result<AuditPage, TelemetryError> {
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let kinds = page.kind.as_deref().map(kinds).transpose()?;
    page.outcome.as_deref().map(check_outcomes).transpose()?;
    let since = page.since.as_deref().map(|text| since::read(text, Moment::now())).transpose()?;
    let kinds = stored_kinds(kinds.as_deref().unwrap_or(default_kinds));
    let query = JournalQuery { before: page.before, kinds: &kinds, since };
    // Reads one record more than the limit, to find out whether there is a next page.
    let is_selected = |text: &str| {
        !page.has_filter() || serde_json::from_str(text).is_ok_and(|entry| page.selects(&entry))
    };
    let mut lines = lines.newest(&query, limit + 1, &is_selected).map_err(TelemetryError::Read)?;
    let has_more = lines.len() > limit;
    lines.truncate(limit);
    let next_before = lines.last().map(|line| line.position).filter(|_| has_more);
    // Records of later versions cannot be parsed. They are skipped and counted in a note.
    let entry = |line: &AuditLine| {
        let entry: JournalEntry = serde_json::from_str(&line.text).ok()?;
        Some(JournalEntry { replica: line.replica.clone(), ..entry })
    };
    let entries: Vec<JournalEntry> = lines.iter().filter_map(entry).collect();
    let unknown = lines.len() - entries.len();
    let notes = (unknown > 0)
        .then(|| {
            format!("{} could not be read by this version of toolscout", counted(unknown, "record"))
        })
        .into_iter();
    Ok(AuditPage { entries, next_before, notes: notes.collect() })
}

/// Parses a comma-separated list of kinds.
fn kinds(text: &str) -> Result<Vec<&'static str>, TelemetryError> {
    let parse_kind = |word: &str| KINDS.into_iter().find(|kind| *kind == word);
    text.split(',')
        .map(|part| {
            let message = format!("`{}` is not a record kind", escape::line(part));
            let hint = format!("use one of {}", KINDS.join(", "));
            parse_kind(part.trim()).ok_or(TelemetryError::InvalidQuery { message, hint })
        })
        .collect()
}

/// Refuses a list of outcomes with an unknown word.
fn check_outcomes(text: &str) -> Result<(), TelemetryError> {
    match text.split(',').map(str::trim).find(|word| !OUTCOMES.contains(word)) {
        None => Ok(()),
        Some(word) => Err(TelemetryError::InvalidQuery {
            message: format!("`{}` is not an outcome", escape::line(word)),
            hint: format!("use one of {}", OUTCOMES.join(", ")),
        }),
    }
}

/// The names under which records of these kinds are stored, by this version or an earlier one.
fn stored_kinds(kinds: &[&'static str]) -> Vec<&'static str> {
    let renamed = RENAMED_KINDS.iter().filter(|(name, _)| kinds.contains(name));
    kinds.iter().copied().chain(renamed.map(|(_, earlier)| *earlier)).collect()
}

/// Today's name of a kind.
pub(crate) fn current_kind(stored: &str) -> &str {
    let renamed = RENAMED_KINDS.iter().find(|(_, earlier)| *earlier == stored);
    renamed.map_or(stored, |(name, _)| name)
}

/// Verifies the chain of the journal, from the first record to the last.
pub fn verify(
    state: Option<&Path>,
    store: &dyn Store,
) -> Result<AuditVerification, TelemetryError> {
    let Some(state) = state else {
        return Ok(AuditVerification { valid: true, ..AuditVerification::default() });
    };
    let verdict = journal::verify(state, store).map_err(TelemetryError::io("check", state))?;
    let location = |found: &journal::ChainBreak| match found.line {
        0 => found.file.display().to_string(),
        line => format!("{}:{line}", found.file.display()),
    };
    let breaks = verdict.breaks.iter();
    let breaks = breaks.map(|found| AuditBreak {
        n: found.n,
        location: location(found),
        reason: found.reason.clone(),
    });
    Ok(AuditVerification {
        valid: verdict.breaks.is_empty(),
        records: verdict.records,
        replicas: None,
        first: verdict.first,
        last: verdict.last,
        breaks: breaks.collect(),
        notes: verdict.notes.clone(),
    })
}

/// A page of the journal, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<JournalEntry>,
    /// Pass this as `before` to get the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_before: Option<u64>,
    /// Reasons why records may be missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A query for a page of the journal.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditQuery {
    /// The maximum number of records, up to 1,000; 50 by default
    #[schemars(extend("x-cli" = {"short": "n", "value": "N"}))]
    pub limit: Option<usize>,
    /// Show only records with a smaller number
    #[schemars(extend("x-cli" = {"value": "N"}))]
    pub before: Option<u64>,
    /// Show only records of this kind: `discovery`, `search`, `call`, `decision`, `context`, `dropped` or `repaired`; separate several with commas
    pub kind: Option<String>,
    /// Show only records since this time: RFC 3339 (`2026-07-28`, `2026-07-28T12:00:00Z`) or an age (`90s`, `15m`, `2h`, `7d`)
    pub since: Option<String>,
    /// Show only records of clients with this text in their name
    pub client: Option<String>,
    /// Show only records about this source and its tools
    pub source: Option<String>,
    /// Show only records about tools with this text in their id
    pub tool: Option<String>,
    /// Show only calls with this outcome: `succeeded`, `toolError`, `inputRequired`, `pending`, `failed`, `refused`, `cancelled` or `interrupted`; separate several with commas
    pub outcome: Option<String>,
}

impl AuditQuery {
    /// Whether a filter needs more of a record than its number, time and kind.
    fn has_filter(&self) -> bool {
        [&self.client, &self.source, &self.tool, &self.outcome].into_iter().any(Option::is_some)
    }

    /// Whether a record passes the filters.
    fn selects(&self, entry: &JournalEntry) -> bool {
        let subjects = subjects(&entry.details);
        let client = entry.requester.client.as_ref().or(entry.requester.caller.as_ref());
        let is_client = |text: &String| client.is_some_and(|client| has(client, text));
        let is_source = |source: &String| {
            let is_of_source = |subject: &&str| subject.split('/').next() == Some(source);
            subjects.iter().any(is_of_source)
        };
        let is_tool = |text: &String| subjects.iter().any(|subject| has(subject, text));
        let is_outcome = |words: &String| {
            outcome_word(&entry.details)
                .is_some_and(|outcome| words.split(',').any(|word| word.trim() == outcome))
        };
        self.client.as_ref().is_none_or(is_client)
            && self.source.as_ref().is_none_or(is_source)
            && self.tool.as_ref().is_none_or(is_tool)
            && self.outcome.as_ref().is_none_or(is_outcome)
    }
}

/// Whether a text contains another, in any case.
fn has(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// The tools, sources and other subjects of a record.
fn subjects(details: &EntryDetails) -> Vec<&str> {
    match details {
        EntryDetails::Discovery { source, .. } => vec![source],
        EntryDetails::Search { hits, .. } => hits.iter().map(|hit| hit.id.as_str()).collect(),
        EntryDetails::Call { tool, .. } => vec![tool],
        EntryDetails::Decision { subject, .. } => vec![subject],
        _ => Vec::new(),
    }
}

/// The outcome of a call as people see it: a refused call is not a failed one.
fn outcome_word(details: &EntryDetails) -> Option<&'static str> {
    let EntryDetails::Call { outcome, error_kind, .. } = details else { return None };
    Some(match outcome {
        RecordedOutcome::Succeeded => "succeeded",
        RecordedOutcome::ToolError => "toolError",
        RecordedOutcome::InputRequired => "inputRequired",
        RecordedOutcome::Pending => "pending",
        RecordedOutcome::Failed if error_kind.as_deref() == Some(REFUSED) => REFUSED,
        RecordedOutcome::Failed => "failed",
        RecordedOutcome::Cancelled => "cancelled",
        RecordedOutcome::Interrupted => "interrupted",
    })
}

/// Result of checking the chain of the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerification {
    /// True if no record was changed, removed, inserted or cut off.
    pub valid: bool,
    /// Number of records checked.
    pub records: u64,
    /// Number of replicas whose records were checked, in a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u64>,
    /// Number of the first record; earlier ones were deleted to limit the size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Number of the last record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// Places where the chain is broken, in order; at most a hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<AuditBreak>,
    /// Repairs after an interrupted write. No record is missing because of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A place where the chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditBreak {
    /// Number that the record at this location should have.
    pub n: u64,
    /// The file, and the line in it; in a fleet also the replica.
    pub location: String,
    /// What is wrong.
    pub reason: String,
}
