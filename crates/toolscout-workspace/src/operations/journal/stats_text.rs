//! Usage statistics and pin suggestions, as text.

use super::audit_text::duration;
use toolscout_core::escape;
use toolscout_surface::output::counted;
use toolscout_telemetry::stats::{PinSuggestion, PinSuggestions, UsageStats, UsageTotals};

/// The maximum number of rows in each table.
const ROWS: usize = 10;

/// Statistics as text: the totals, then clients, tools, sources and unanswered queries.
pub(super) fn page(stats: &UsageStats) -> String {
    let Some((since, until)) = stats.since.as_deref().zip(stats.until.as_deref()) else {
        return "Nothing is on record yet.\n".to_owned();
    };
    let mut out =
        format!("From {since} to {until}, {}\n\n", counted(stats.records as usize, "record"));
    out += &total(&stats.total);
    out += &clients(stats);
    out += &tools(stats);
    out += &sources(stats);
    out += &nowhere(stats);
    for note in &stats.notes {
        out += &format!("  note: {}\n", escape::line(note));
    }
    out
}

fn total(cost: &UsageTotals) -> String {
    let rows = [
        ("all definitions", number(cost.all_tokens as i64)),
        ("what is listed", number(cost.list_tokens as i64)),
        ("search answers", number(cost.search_tokens as i64)),
        ("avoided", number(cost.avoided_tokens)),
    ];
    let mut out = "Tokens, at most, once a session\n".to_owned();
    rows.iter().for_each(|(name, value)| out += &format!("  {name:<16} {value:>12}\n"));
    let UsageTotals { searches, followed, not_followed, empty, calls, failures, refused, .. } =
        cost;
    let plural = if *searches == 1 { "search" } else { "searches" };
    out += &format!("\n{searches} {plural} in {}", counted(cost.sessions as usize, "session"));
    out += &format!(": {followed} led to a call, {not_followed} to none, {empty} found nothing\n");
    out += &format!("{}: {failures} failed, {refused} refused\n", counted(*calls as usize, "call"));
    if let Some(first) = cost.first_use_ms {
        out += &format!(
            "{} from the first search to the first call that worked (median)\n",
            duration(first)
        );
    }
    out
}

fn clients(stats: &UsageStats) -> String {
    let row = |name: &str, cost: &UsageTotals| {
        let (sessions, calls) =
            (counted(cost.sessions as usize, "session"), counted(cost.calls as usize, "call"));
        format!(
            "  {}: {sessions}, {calls}, {} tokens avoided\n",
            escape::line(name),
            number(cost.avoided_tokens)
        )
    };
    section("Clients", stats.clients.iter().map(|it| row(&it.client, &it.cost)))
}

fn tools(stats: &UsageStats) -> String {
    let called = stats.tools.iter().filter(|it| it.calls > 0);
    section(
        "Tools",
        called.map(|it| {
            let took = it.median_ms.map(|it| format!(", {}", duration(it))).unwrap_or_default();
            let failed =
                if it.failures > 0 { format!(", {} failed", it.failures) } else { String::new() };
            let refused =
                if it.refused > 0 { format!(", {} refused", it.refused) } else { String::new() };
            format!(
                "  {}: {}{failed}{refused}{took}\n",
                escape::line(&it.tool),
                counted(it.calls as usize, "call")
            )
        }),
    )
}

fn sources(stats: &UsageStats) -> String {
    section(
        "First call of a session, and later ones",
        stats.sources.iter().filter(|it| it.first_call_ms.is_some()).map(|it| {
            let shown = |it: Option<f64>| it.map_or("-".to_owned(), duration);
            format!(
                "  {}: {}, {}\n",
                escape::line(&it.source),
                shown(it.first_call_ms),
                shown(it.later_call_ms)
            )
        }),
    )
}

fn nowhere(stats: &UsageStats) -> String {
    section(
        "Searches that led nowhere",
        stats.nowhere.iter().map(|it| {
            let empty = if it.empty { ", nothing found" } else { "" };
            format!("  {}: {} times{empty}\n", escape::line(&it.query), it.times)
                .replace(": 1 times", ": once")
        }),
    )
}

/// The first rows of a table; empty if there are none.
fn section(title: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<_> = rows.collect();
    let more = rows.len().saturating_sub(ROWS);
    match rows.is_empty() {
        true => String::new(),
        false => {
            let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
            format!(
                "\n{title}\n{}{more}",
                rows.iter().take(ROWS).map(String::as_str).collect::<String>()
            )
        }
    }
}

/// `12,345`.
fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// Pin suggestions as text.
pub(super) fn pins(pins: &PinSuggestions) -> String {
    let sessions = counted(pins.sessions as usize, "session");
    if pins.pins.is_empty() {
        return format!(
            "Nothing to pin: in {sessions} of this project, no list would save what it costs.\n"
        );
    }
    let mut out = format!("By {sessions} of this project, in tokens a session, at most:\n");
    pins.pins.iter().for_each(|it| out += &row(it));
    if let Some((file, line)) = pins.file.as_ref().zip(pins.line.as_ref()) {
        out += &format!(
            "\nTo list them, write into {}:\n  {}\n",
            escape::line(file),
            escape::line(line)
        );
    }
    out
}

fn row(pin: &PinSuggestion) -> String {
    let PinSuggestion { tool, searches, search_tokens, definition_tokens, saves_tokens, .. } = pin;
    let [saved, spared, cost] =
        [*saves_tokens, *search_tokens as i64, *definition_tokens as i64].map(number);
    format!(
        "  {} saves {saved}: {searches} searches less ({spared}), its definition more ({cost})\n",
        escape::line(tool)
    )
}
