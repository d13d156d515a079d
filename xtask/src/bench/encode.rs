//! The speed of the sentence encoder: for one query, for many tools, and for the first text of a
//! new process.
//!
//! The program is the `model` example of `toolscout-encoder`, which prints its times.

use super::BenchmarkPlan;
use super::clock::Samples;
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// In milliseconds; 150 tools per second are 6.7 each.
const QUERY_GOAL: f64 = 3.0;
const TOOL_GOAL: f64 = 6.7;
const FIRST_GOAL: f64 = 20.0;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let (program, rounds) = (&bench.programs.encoder, bench.rounds);
    let said = NamedFigures::by(Command::new(program).arg("time").arg(rounds.to_string()))?;
    let (query, tool, tools) =
        (said.count("pieces-of-query")?, said.count("pieces-of-tool")?, said.count("tools")?);
    let mut rows = vec![
        BenchmarkRow::time(format!("encode a query of {query} tokens"), &said.times("query", 1)?)
            .goal(QUERY_GOAL),
    ];
    for (threads, cores) in [("tools-1", "one core"), ("tools-2", "two cores")] {
        let each = said.times(threads, tools)?;
        let a_second = format!("{:.0} per second", 1.0 / each.best().as_secs_f64().max(1e-9));
        let row = BenchmarkRow::time(
            format!("encode a tool of {tool} tokens, {tools} at once, {cores}"),
            &each,
        )
        .note(a_second);
        rows.push(if threads == "tools-2" { row.goal(TOOL_GOAL) } else { row });
    }
    rows.extend(first(program, rounds)?);
    Ok(rows)
}

/// A process that encodes one query and ends.
fn first(program: &Path, rounds: usize) -> anyhow::Result<Vec<BenchmarkRow>> {
    let (mut whole, mut loads) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        let since = Instant::now();
        let said = NamedFigures::by(Command::new(program).arg("first"))?;
        whole.push(since.elapsed());
        loads.push(said.times("load", 1)?.best());
    }
    Ok(vec![
        BenchmarkRow::short_time("set up the model", &Samples::of(loads)?),
        BenchmarkRow::time("a new process that encodes one query", &Samples::of(whole)?)
            .goal(FIRST_GOAL),
    ])
}

/// Lines with a name and a number, as printed by the program.
struct NamedFigures(Vec<(String, f64)>);

impl NamedFigures {
    fn by(command: &mut Command) -> anyhow::Result<Self> {
        let output = command.output().with_context(|| format!("start {command:?}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
        let lines = String::from_utf8(output.stdout)?;
        let line = |text: &str| {
            text.split_once(' ')
                .and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)))
        };
        Ok(Self(lines.lines().filter_map(line).collect()))
    }

    fn all(&self, name: &str) -> impl Iterator<Item = f64> {
        self.0.iter().filter(move |item| item.0 == name).map(|item| item.1)
    }

    fn count(&self, name: &str) -> anyhow::Result<usize> {
        Ok(self.all(name).next().with_context(|| format!("it does not say `{name}`"))? as usize)
    }

    /// Converts microseconds to the time of one of `of` items.
    fn times(&self, name: &str, of: usize) -> anyhow::Result<Samples> {
        let times = self
            .all(name)
            .map(|value| Duration::from_secs_f64(value.max(0.0) / 1e6 / of.max(1) as f64));
        Samples::of(times.collect()).with_context(|| format!("it does not say `{name}`"))
    }
}
