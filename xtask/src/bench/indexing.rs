//! Thousands of new tools: lists, and searches while the semantic index is built.

use super::BenchmarkPlan;
use super::clock::{self, Samples};
use super::crowd::{ServerBehaviour, ServerCrowd};
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::process::Stdio;
use std::time::Instant;

const SEARCH: [&str; 4] = ["search", "create", "an", "invoice"];

/// A server with thousands of tools: embeddings are stored by text, so several servers with the
/// same tools would need only those of one. The refresh starts the indexer, as every command does that
/// adds tools.
pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &[ServerBehaviour::Filled(bench.many)])?;
    crowd.refresh()?;
    let start = Instant::now();
    let (world, mut during, mut states) = (crowd.world(), Vec::new(), Vec::new());
    loop {
        during.push(clock::sample(1, || Ok(world.toolscout(&SEARCH)))?.best());
        let (indexed, total) = progress(&crowd)?;
        ensure!(states.last().is_none_or(|earlier| *earlier <= indexed), "the index shrank");
        states.push(indexed);
        if indexed == total {
            break;
        }
    }
    let (took, total) = (start.elapsed(), states.last().copied().unwrap_or_default());
    crowd.expect_all()?;
    let listed = clock::sample(bench.rounds, || Ok(world.toolscout(&["tools"])))?;
    let json = clock::sample(bench.rounds, || Ok(world.toolscout(&["tools", "--json"])))?;
    let after = clock::sample(bench.rounds, || Ok(world.toolscout(&SEARCH)))?;
    let count = bench.many;
    let note = format!("{} states seen, the last one {total} of {total}", states.len());
    Ok(vec![
        BenchmarkRow::time(format!("`toolscout tools`, {count} tools"), &listed).goal(100.0),
        BenchmarkRow::time(format!("`toolscout tools --json`, {count} tools"), &json).goal(100.0),
        BenchmarkRow::time("`toolscout search` during indexing", &Samples::of(during)?),
        BenchmarkRow::time("`toolscout search` afterwards", &after),
        BenchmarkRow::milliseconds(
            format!("index {count} tools in the background"),
            took.as_secs_f64() * 1_000.0,
            None,
        )
        .note(note),
    ])
}

/// The number of indexed tools, and of all.
fn progress(crowd: &ServerCrowd) -> anyhow::Result<(u64, u64)> {
    let mut command = crowd.world().toolscout(&["index", "--json"]);
    let output = command.stdout(Stdio::piped()).output().context("start toolscout")?;
    let state: Value = serde_json::from_slice(&output.stdout).context("read the state")?;
    let number = |name: &str| state[name].as_u64().with_context(|| format!("no {name}"));
    Ok((number("indexed")?, number("total")?))
}
