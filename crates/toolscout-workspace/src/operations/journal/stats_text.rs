//! Usage statistics and pin suggestions, as text.

use super::audit_text::duration;
use toolscout_core::{escape, grouped};
use toolscout_surface::output::counted;
use toolscout_telemetry::stats::{PinSuggestion, PinSuggestions, Savings, UsageStats, UsageTotals};

/// The maximum number of rows in each table.
const ROWS: usize = 10;

/// Statistics as text: the totals, then clients, tools, sources and unanswered queries.
pub(super) fn page(stats: &UsageStats) -> String {
    let Some((since, until)) = stats.since.as_deref().zip(stats.until.as_deref()) else {
        return "No records yet.\n".to_owned();
    };
    let mut out =
        format!("From {since} to {until}, {}\n\n", counted(stats.records as usize, "record"));
    out += &tokens(&stats.savings);
    out += &total(&stats.total);
    out += &clients(stats);
    out += &tools(stats);
    out += &sources(stats);
    out += &unanswered(stats);
    for note in &stats.notes {
        out += &format!("  note: {}\n", escape::line(note));
    }
    out
}

fn tokens(savings: &Savings) -> String {
    let Some(saved) = savings.tokens else {
        return "Tokens saved: not measured yet, because no client has listed tools\n".to_owned();
    };
    let rows = [
        ("all definitions", number(savings.compared_with as i64)),
        ("listed tools", number(savings.list_tokens as i64)),
        ("search results", number(savings.search_tokens as i64)),
        ("saved", number(saved)),
    ];
    let sessions = counted(savings.measured_sessions as usize, "session");
    let mut out = format!("Tokens in {sessions} (upper bounds, once per session)\n");
    rows.iter().for_each(|(name, value)| out += &format!("  {name:<16} {value:>12}\n"));
    if savings.unmeasured_sessions > 0 {
        let more = counted(savings.unmeasured_sessions as usize, "more session");
        out += &format!("  {more} not measured: no tool list was recorded\n");
    }
    if let Some(explanation) = &savings.explanation {
        out += &format!("  {explanation}\n");
    }
    out
}

fn total(cost: &UsageTotals) -> String {
    let UsageTotals { searches, followed, not_followed, empty, calls, failures, refused, .. } =
        cost;
    let plural = if *searches == 1 { "search" } else { "searches" };
    let mut out =
        format!("\n{searches} {plural} in {}", counted(cost.sessions as usize, "session"));
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
        let saved = if cost.measured_sessions > 0 {
            format!(", {} tokens saved", number(cost.saved_tokens))
        } else {
            String::new()
        };
        format!("  {}: {sessions}, {calls}{saved}\n", escape::line(name))
    };
    section("Clients", stats.clients.iter().map(|client| row(&client.client, &client.cost)))
}

fn tools(stats: &UsageStats) -> String {
    let called = stats.tools.iter().filter(|tool| tool.calls > 0);
    section(
        "Tools",
        called.map(|tool| {
            let took = tool
                .median_ms
                .map(|median_ms| format!(", {}", duration(median_ms)))
                .unwrap_or_default();
            let failed = if tool.failures > 0 {
                format!(", {} failed", tool.failures)
            } else {
                String::new()
            };
            let refused = if tool.refused > 0 {
                format!(", {} refused", tool.refused)
            } else {
                String::new()
            };
            format!(
                "  {}: {}{failed}{refused}{took}\n",
                escape::line(&tool.tool),
                counted(tool.calls as usize, "call")
            )
        }),
    )
}

fn sources(stats: &UsageStats) -> String {
    section(
        "First call of a session, later calls",
        stats.sources.iter().filter(|source| source.first_call_ms.is_some()).map(|source| {
            let median = |number: Option<f64>| number.map_or("-".to_owned(), duration);
            format!(
                "  {}: {}, {}\n",
                escape::line(&source.source),
                median(source.first_call_ms),
                median(source.later_call_ms)
            )
        }),
    )
}

fn unanswered(stats: &UsageStats) -> String {
    section(
        "Searches without a call",
        stats.unanswered_queries.iter().map(|unanswered| {
            let empty = if unanswered.empty { ", nothing found" } else { "" };
            let query = escape::line(&unanswered.query);
            format!("  {query}: {} times{empty}\n", unanswered.count).replace(": 1 times", ": once")
        }),
    )
}

/// The first rows of a table; empty if there are none.
fn section(title: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<_> = rows.collect();
    let more = rows.len().saturating_sub(ROWS);
    if rows.is_empty() {
        String::new()
    } else {
        let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
        format!(
            "\n{title}\n{}{more}",
            rows.iter().take(ROWS).map(String::as_str).collect::<String>()
        )
    }
}

/// `12,345`, `-12,345`.
pub(super) fn number(value: i64) -> String {
    let digits = grouped(value.unsigned_abs() as usize);
    if value < 0 { format!("-{digits}") } else { digits }
}

/// Pin suggestions as text.
pub(super) fn pins(pins: &PinSuggestions) -> String {
    let sessions = counted(pins.sessions as usize, "session");
    if pins.pins.is_empty() {
        return format!(
            "Nothing to pin: in {sessions} of this project, no pin would save more tokens than it costs.\n"
        );
    }
    let mut out =
        format!("Based on {sessions} of this project, in tokens per session (upper bounds):\n");
    pins.pins.iter().for_each(|pin| out += &row(pin));
    if let Some((file, line)) = pins.file.as_ref().zip(pins.line.as_ref()) {
        out +=
            &format!("\nTo pin them, set in {}:\n  {}\n", escape::line(file), escape::line(line));
    }
    out
}

fn row(pin: &PinSuggestion) -> String {
    let PinSuggestion { tool, searches, search_tokens, definition_tokens, saved_tokens, .. } = pin;
    let [saved, spared, cost] =
        [*saved_tokens, *search_tokens as i64, *definition_tokens as i64].map(number);
    let searches =
        if *searches == 1 { "1 search".to_owned() } else { format!("{searches} searches") };
    format!(
        "  {} saves {saved}: {spared} for {searches}, minus {cost} for its definition\n",
        escape::line(tool)
    )
}
