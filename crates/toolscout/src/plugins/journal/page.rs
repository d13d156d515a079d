//! Single records: read from the end, and shown, a line each.

use super::note::REFUSED;
use super::since;
use crate::{AppError, Surroundings};
use toolscout_core::{Moment, escape};
use toolscout_store::journal::{Reader, Wanted};
use toolscout_surface::ops::journal::{Entries, Entry, Outcome, Page, What};

/// So many records are shown where nobody says otherwise.
pub(super) const USUAL: usize = 50;
const MOST: usize = 1_000;

/// All kinds, as they are written.
pub(super) const KINDS: [&str; 7] = ["discovery", "search", "call", "decision", "shown", "lost", "mended"];
/// What a person looks for who wants to know what was done.
const TIMELINE: [&str; 6] = ["discovery", "search", "call", "decision", "lost", "mended"];
/// What must be answered for.
const AUDIT: [&str; 4] = ["call", "decision", "lost", "mended"];

/// What agents and people did, the newest first.
pub(super) fn timeline(surroundings: &Surroundings, page: &Page) -> Result<Entries, AppError> {
    newest(surroundings, page, &TIMELINE)
}

/// What was called and decided, the newest first.
pub(super) fn audit(surroundings: &Surroundings, page: &Page) -> Result<Entries, AppError> {
    newest(surroundings, page, &AUDIT)
}

fn newest(surroundings: &Surroundings, page: &Page, usual: &[&str]) -> Result<Entries, AppError> {
    let Some(state) = surroundings.state_dir() else { return Ok(Entries::default()) };
    let limit = page.limit.unwrap_or(USUAL).clamp(1, MOST);
    let kinds = page.kind.as_deref().map(kinds).transpose()?;
    let since = page.since.as_deref().map(|it| since::read(it, Moment::now())).transpose()?;
    let wanted = Wanted { before: page.before, kinds: kinds.as_deref().unwrap_or(usual), since };
    // One more, to know whether there is one.
    let mut kept =
        Reader::new(&state).newest(&wanted, limit + 1).map_err(AppError::io("read", state.join("journal")))?;
    let is_more = kept.len() > limit;
    kept.truncate(limit);
    let next_before = kept.last().map(|it| it.n).filter(|_| is_more);
    // What a later version writes is passed over.
    let entries: Vec<Entry> = kept.iter().filter_map(|it| serde_json::from_str(&it.text).ok()).collect();
    let unknown = kept.len() - entries.len();
    let notes = (unknown > 0).then(|| format!("{unknown} records cannot be read by this version")).into_iter();
    Ok(Entries { entries, next_before, notes: notes.collect() })
}

/// The kinds that are named.
fn kinds(text: &str) -> Result<Vec<&'static str>, AppError> {
    let known = |word: &str| KINDS.into_iter().find(|it| *it == word);
    text.split(',')
        .map(|it| {
            let message = format!("`{}` is no kind of record", escape::line(it));
            known(it.trim()).ok_or_else(|| AppError::invalid(message, format!("one of {}", KINDS.join(", "))))
        })
        .collect()
}

/// For people: when, who, what, and how it ended.
pub(super) fn line(entry: &Entry) -> String {
    let client = entry.who.client.as_deref().or(entry.who.caller.as_deref()).unwrap_or("-");
    let text = format!("{:>6}  {}  {}  {}", entry.n, entry.at, client, what(entry));
    escape::line(&text).into_owned() + "\n"
}

fn what(entry: &Entry) -> String {
    let took = entry.took_ms.map(|it| format!(", {}", duration(it))).unwrap_or_default();
    match &entry.what {
        What::Discovery { source, error: Some(error), .. } => format!("discovery of {source} failed{took}: {error}"),
        What::Discovery { source, tools, changed, .. } => {
            let news = if *changed { ", changed" } else { "" };
            format!("discovery of {source}: {tools} tools{news}{took}")
        }
        What::Search { query, hits, .. } => match hits.first() {
            Some(first) => format!("search `{query}`: {} found, first {}{took}", hits.len(), first.id),
            None => format!("search `{query}`: nothing found{took}"),
        },
        What::Call { tool, arguments, outcome, bytes, error, error_kind, .. } => {
            let word = if error_kind.as_deref() == Some(REFUSED) { REFUSED } else { outcome_word(*outcome) };
            let error = error.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
            let bytes = bytes.map(|it| format!(", {it} bytes")).unwrap_or_default();
            format!("call {tool} {arguments} {word}{bytes}{took}{error}")
        }
        What::Decision { about, which, decision, by } => format!("{about} {which}: {decision} by {by}"),
        What::Shown { what, tools, tokens, .. } => format!("shown {what}: {tools} tools, at most {tokens} tokens"),
        What::Lost { records } => format!("{records} records are missing here"),
        What::Mended { reason } => format!("the journal goes on here: {reason}"),
    }
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::ToolFailed => "the tool failed",
        Outcome::WantsInput => "wants input",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cancelled",
    }
}

/// `830 ms`, `1.2 s`.
pub(super) fn duration(millis: f64) -> String {
    match millis {
        it if it < 10.0 => format!("{it:.1} ms"),
        it if it < 1_000.0 => format!("{it:.0} ms"),
        it => format!("{:.1} s", it / 1_000.0),
    }
}
