//! Compares search with other implementations on the same query sets in one run: a table for
//! docs/measurements/search.md, and a plot.
//!
//! Every method writes a run file, and the same independent code scores all run files.

mod methods;
mod options;
mod page;
mod score;
mod sets;
#[cfg(test)]
mod tests;
mod venv;

use crate::repo;
use anyhow::{Context, ensure};
use methods::{ComparisonPrograms, METHODS, RankingMethod};
use options::Options;
use score::RankingScores;
use sets::QuerySet;
use std::fs;
use std::path::PathBuf;
use venv::Venv;

/// The scores of every method on every set.
struct ComparisonResult {
    sets: Vec<QuerySet>,
    /// By method, then by set.
    rows: Vec<(&'static RankingMethod, Vec<RankingScores>)>,
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let sets = sets::find(&options.folder, &options.names)?;
    let programs = build()?;
    let mut rows = Vec::new();
    for method in METHODS {
        let figures = sets
            .iter()
            .map(|set| measure(method, set, &programs, options.reuse))
            .collect::<anyhow::Result<_>>()?;
        rows.push((method, figures));
    }
    let outcome = ComparisonResult { sets, rows };
    print!("{}", page::markdown(&outcome));
    if let Some(folder) = &options.plots {
        let file = folder.join("retrieval.svg");
        fs::write(&file, page::plot(&outcome))
            .with_context(|| format!("write {}", file.display()))?;
    }
    Ok(())
}

fn build() -> anyhow::Result<ComparisonPrograms> {
    let mut cargo = repo::cargo();
    cargo.args(["build", "--release", "-p", "toolscout", "--bin", "toolscout"]);
    let toolscout = repo::build(cargo)?.take("toolscout")?;
    let target = toolscout
        .ancestors()
        .nth(2)
        .map_or(PathBuf::from("target"), PathBuf::from)
        .join("retrieval");
    Ok(ComparisonPrograms {
        toolscout,
        venv: Venv::ready(&target.join("venv"))?,
        runs: target.join("runs"),
    })
}

fn measure(
    method: &RankingMethod,
    set: &QuerySet,
    programs: &ComparisonPrograms,
    reuse: bool,
) -> anyhow::Result<RankingScores> {
    let file = programs.runs.join(&set.name).join(format!("{}.jsonl", method.id));
    if !(reuse && method.is_a_peer() && file.exists()) {
        eprintln!("{}: {} …", set.name, method.name);
        fs::create_dir_all(file.parent().context("the folder of a run")?)?;
        let mut command = method.command(set, programs, &file);
        let output = command.output().with_context(|| format!("start {command:?}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
    }
    score::of_run(&set.queries, &file)
        .with_context(|| format!("score {} on {}", method.name, set.name))
}
