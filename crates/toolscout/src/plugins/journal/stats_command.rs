//! `stats`: what tools have cost and saved, for people.

use super::page::duration;
use super::{Journal, flush, is_on};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::ops::stats::{Cost, Stats};
use toolscout_surface::output::Format;

/// Rows of each table.
const ROWS: usize = 10;

pub(super) struct StatsCommand;

impl Command for StatsCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("stats", "Show what tools have cost and saved: tokens, searches, calls")
            .option(OptionSpec::text("since", "Only what happened since then: 2h, 7d, 2026-07-28").value("TIME"))
            .option(OptionSpec::help("Show this help"))
            .note(
                "Tokens are upper bounds, by the vocabulary of `o200k_base`. `--json` shows every client and session.",
            )
            .example("toolscout stats --since 7d")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            flush(cx);
            let stats = Journal::stats(cx.surroundings(), cx.parsed.text("since"))?;
            match cx.options().format() {
                Format::Text => cx.print(&page(&stats))?,
                format => cx.print_value(&stats, format)?,
            }
            if !is_on(cx) {
                cx.say(
                    "note: nothing is written down now; see `journal` in the configuration, or TOOLSCOUT_NO_JOURNAL\n",
                );
            }
            Ok(Exit::Done)
        })
    }
}

/// For people: the sum, then where it comes from.
pub(super) fn page(stats: &Stats) -> String {
    let Some((since, until)) = stats.since.as_deref().zip(stats.until.as_deref()) else {
        return "Nothing is on record yet.\n".to_owned();
    };
    let mut out = format!("From {since} to {until}, {}\n\n", counted(stats.records as usize, "record"));
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

fn total(cost: &Cost) -> String {
    let rows = [
        ("all definitions", number(cost.all_tokens as i64)),
        ("what is listed", number(cost.list_tokens as i64)),
        ("search answers", number(cost.search_tokens as i64)),
        ("avoided", number(cost.avoided_tokens)),
    ];
    let mut out = "Tokens, at most, once a session\n".to_owned();
    rows.iter().for_each(|(name, value)| out += &format!("  {name:<16} {value:>12}\n"));
    let Cost { searches, followed, not_followed, empty, calls, failures, refused, .. } = cost;
    let plural = if *searches == 1 { "search" } else { "searches" };
    out += &format!("\n{searches} {plural} in {}", counted(cost.sessions as usize, "session"));
    out += &format!(": {followed} led to a call, {not_followed} to none, {empty} found nothing\n");
    out += &format!("{}: {failures} failed, {refused} refused\n", counted(*calls as usize, "call"));
    if let Some(first) = cost.first_use_ms {
        out += &format!("{} from the first search to the first call that worked (median)\n", duration(first));
    }
    out
}

fn clients(stats: &Stats) -> String {
    let row = |name: &str, cost: &Cost| {
        let (sessions, calls) = (counted(cost.sessions as usize, "session"), counted(cost.calls as usize, "call"));
        format!("  {}: {sessions}, {calls}, {} tokens avoided\n", escape::line(name), number(cost.avoided_tokens))
    };
    section("Clients", stats.clients.iter().map(|it| row(&it.client, &it.cost)))
}

fn tools(stats: &Stats) -> String {
    let called = stats.tools.iter().filter(|it| it.calls > 0);
    section(
        "Tools",
        called.map(|it| {
            let took = it.median_ms.map(|it| format!(", {}", duration(it))).unwrap_or_default();
            let failed = if it.failures > 0 { format!(", {} failed", it.failures) } else { String::new() };
            let refused = if it.refused > 0 { format!(", {} refused", it.refused) } else { String::new() };
            format!("  {}: {}{failed}{refused}{took}\n", escape::line(&it.tool), counted(it.calls as usize, "call"))
        }),
    )
}

fn sources(stats: &Stats) -> String {
    section(
        "First call of a session, and later ones",
        stats.sources.iter().filter(|it| it.first_call_ms.is_some()).map(|it| {
            let shown = |it: Option<f64>| it.map_or("-".to_owned(), duration);
            format!("  {}: {}, {}\n", escape::line(&it.source), shown(it.first_call_ms), shown(it.later_call_ms))
        }),
    )
}

fn nowhere(stats: &Stats) -> String {
    section(
        "Searches that led nowhere",
        stats.nowhere.iter().map(|it| {
            let empty = if it.empty { ", nothing found" } else { "" };
            format!("  {}: {} times{empty}\n", escape::line(&it.query), it.times).replace(": 1 times", ": once")
        }),
    )
}

/// The first rows of a table; nothing where there are none.
fn section(title: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<_> = rows.collect();
    let more = rows.len().saturating_sub(ROWS);
    match rows.is_empty() {
        true => String::new(),
        false => {
            let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
            format!("\n{title}\n{}{more}", rows.iter().take(ROWS).map(String::as_str).collect::<String>())
        }
    }
}

/// `12,345`.
pub(super) fn number(value: i64) -> String {
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
