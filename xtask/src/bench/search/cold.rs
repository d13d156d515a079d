//! `toolscout search` as a new process, with cached tools of servers.

use super::generator::Generator;
use super::thousands;
use crate::bench::clock::{self, Samples};
use crate::bench::table::BenchmarkRow;
use crate::bench::world::BenchmarkWorld;
use crate::bench::{BenchmarkPlan, silent};
use anyhow::{Context, ensure};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Stdio;

/// The number of servers that the tools are distributed over.
const SERVERS: usize = 20;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let (world, question) = known(bench)?;
    let search = |more: &[&str]| -> anyhow::Result<Samples> {
        let words = [&["search"], more, &[question.as_str()]].concat();
        clock::sample(bench.rounds, || Ok(world.toolscout(&words)))
    };
    let nothing = clock::sample(bench.rounds, || {
        let mut command = silent(&bench.programs.toolscout);
        command.arg("--version");
        Ok(command)
    })?;
    let (words, meaning) = (search(&["--lexical"])?, search(&[])?);
    let what = |text: &str| {
        format!("`toolscout search{text}` in a new process, {} tools", thousands(bench.cached))
    };
    Ok(vec![
        BenchmarkRow::time("`toolscout --version`, for comparison", &nothing),
        BenchmarkRow::time(what(" --lexical"), &words).goal(25.0),
        BenchmarkRow::time(what(""), &meaning).goal(80.0),
    ])
}

/// A world with discovered servers and a complete index; and a query.
fn known(bench: &BenchmarkPlan) -> anyhow::Result<(BenchmarkWorld, String)> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, 0)?;
    let mut generator = Generator::new(7);
    let mut config =
        OpenOptions::new().append(true).open(world.project().join("toolscout.toml"))?;
    let mut question = String::new();
    for number in 0..SERVERS {
        let made = generator.source(number, bench.cached / SERVERS);
        question = made.tools.first().map(|tool| generator.question(tool)).unwrap_or_default();
        let file = world.project().join(format!("{number}.jsonl"));
        fs::write(&file, made.tools.iter().map(|tool| format!("{tool}\n")).collect::<String>())?;
        let ourselves = std::env::current_exe().context("find this program")?.display().to_string();
        let arguments = vec!["tool-server".to_owned(), file.display().to_string()];
        let (command, arguments) = (toml::Value::from(ourselves), toml::Value::from(arguments));
        writeln!(config, "\n[servers.s{number:03}]\ncommand = {command}\nargs = {arguments}")?;
    }
    let output = world.toolscout(&["server", "refresh"]).stdout(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "the servers were not understood: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    while !is_studied(&world)? {}
    // The first search may still write caches for the next.
    clock::sample(2, || Ok(world.toolscout(&["search", &question])))?;
    Ok((world, question))
}

/// Encodes tools for a while, as every command does that has found some; returns whether all are
/// done.
fn is_studied(world: &BenchmarkWorld) -> anyhow::Result<bool> {
    let output = world.toolscout(&["--verbose", "discover"]).stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success() && said.contains("embeddings_computed"),
        "the tools are not studied: {said}"
    );
    Ok(said.contains("remaining=0"))
}
