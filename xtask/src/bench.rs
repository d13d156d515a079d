//! Measures the release build on generated trees, and prints a table to paste into
//! docs/measurements/benchmarks.md.
//!
//! Every group is a function of a [`BenchmarkPlan`], which consists of programs and the sizes of
//! the trees; tests call them with a tiny one. The user's own tools, state and settings are neither
//! read nor written.

mod api;
pub(crate) mod beside;
mod build;
mod calls;
mod clock;
mod crowd;
mod encode;
mod floods;
mod gateway;
mod indexing;
mod observe;
mod page;
mod plot;
mod sandbox;
mod search;
mod servers;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod wire;
mod world;

use anyhow::{Context, bail};
use build::Programs;
use clock::Samples;
use floods::Floods;
pub(crate) use search::server::run as tool_server;
use std::process::{Command, Stdio};
use table::BenchmarkRow;
use world::BenchmarkWorld;

/// The programs and sizes of a benchmark.
pub(crate) struct BenchmarkPlan {
    /// The program under test, and the programs used to measure it.
    pub(crate) programs: Programs,
    /// The number of tool files in the tree for discovery.
    pub(crate) many: usize,
    /// The number of tool files in the tree for all other commands.
    pub(crate) some: usize,
    /// The number of repetitions.
    pub(crate) rounds: usize,
    /// The number of servers in a project with many.
    pub(crate) servers: usize,
    /// The number of calls of a server's tool.
    pub(crate) calls: usize,
    /// The ways in which a server floods.
    pub(crate) floods: Floods,
    /// The numbers of searched tools and of their sources.
    pub(crate) sizes: &'static [search::CatalogDimensions],
    /// The number of cached tools for a new process.
    pub(crate) cached: usize,
}

type BenchmarkGroup = fn(&BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>>;

const GROUPS: &[(&str, BenchmarkGroup)] = &[
    ("discovery", discovery),
    ("help", help),
    ("run", run_overhead),
    ("memory", memory),
    ("servers", servers::measure),
    ("parallel", servers::measure_parallel),
    ("calls", calls::measure),
    ("floods", floods::measure),
    ("gateway", gateway::measure),
    ("encode", encode::measure),
    ("observe", observe::measure),
    ("search", search::measure),
    ("api", api::measure),
    ("sandbox", sandbox::measure),
    ("indexing", indexing::measure),
];

pub(crate) fn run(only: Option<&str>) -> anyhow::Result<()> {
    let wanted: Vec<_> =
        GROUPS.iter().filter(|(name, _)| only.is_none_or(|value| value == *name)).collect();
    if wanted.is_empty() {
        let names: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        bail!("there is no such group; there are {}", names.join(", "));
    }
    let wants_sdk = wanted.iter().any(|(name, _)| *name == "calls");
    let needs_only_two = wanted.iter().all(|(name, _)| *name == "indexing");
    let programs = if needs_only_two { Programs::build_two() } else { Programs::build(wants_sdk) }?;
    let bench = BenchmarkPlan::usual(programs);
    let mut rows = Vec::new();
    for (name, group) in wanted {
        eprintln!("measuring {name} …");
        rows.extend(group(&bench).with_context(|| format!("measure {name}"))?);
    }
    print!("{}", table::markdown(&rows));
    Ok(())
}

/// Measures the web UI in a browser. Separate, because a browser is not always installed.
pub(crate) fn run_page() -> anyhow::Result<()> {
    page::run(&BenchmarkPlan::usual(Programs::build_two()?))
}

impl BenchmarkPlan {
    fn usual(programs: Programs) -> Self {
        Self {
            programs,
            many: 5_000,
            some: 1_000,
            rounds: 15,
            servers: 50,
            calls: 20_000,
            floods: floods::ALL,
            sizes: search::SIZES,
            cached: 10_000,
        }
    }
}

/// Discovers a large tree: first without a cache, then with the cache of an earlier run.
fn discovery(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.many)?;
    world.expect_all()?;
    let cold = clock::sample(bench.rounds, || {
        world.forget().map(|()| world.toolscout(&["tools", "--json"]))
    })?;
    let warm = clock::sample(bench.rounds, || Ok(world.toolscout(&["tools", "--json"])))?;
    let mut rows = vec![
        BenchmarkRow::time(format!("discover {} tool files, cold", bench.many), &cold).goal(400.0),
        BenchmarkRow::time(format!("discover {} tool files, warm", bench.many), &warm).goal(60.0),
    ];
    for argv in world.other_means() {
        let other = clock::sample(bench.rounds, || Ok(world.plain(&argv)))?;
        let what = format!("`{}` in the same tree", argv.join(" "));
        let note =
            format!("toolscout takes {} cold, {} warm", cold.times(&other), warm.times(&other));
        rows.push(BenchmarkRow::time(what, &other).note(note));
    }
    Ok(rows)
}

/// Shows help for the program and for one tool, with many known tools.
fn help(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    world.expect_all()?;
    let all = clock::sample(bench.rounds, || Ok(world.toolscout(&["--help"])))?;
    let last = tree::name(bench.some - 1);
    let one = clock::sample(bench.rounds, || Ok(world.toolscout(&[&last, "--help"])))?;
    Ok(vec![
        BenchmarkRow::time(format!("`toolscout --help`, {} tools", bench.some), &all).goal(15.0),
        BenchmarkRow::time(format!("`toolscout TOOL --help`, {} tools", bench.some), &one)
            .goal(15.0),
    ])
}

/// The overhead of a call compared to the called program itself.
fn run_overhead(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let small = BenchmarkWorld::new(&bench.programs.toolscout, 0)?;
    let large = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    let direct = clock::sample(2 * bench.rounds, || small.echo_directly())?;
    let alone = calls(&small, 2 * bench.rounds)?;
    let among_many = calls(&large, 2 * bench.rounds)?;
    let note = |samples: &Samples| format!("{} the program itself", samples.times(&direct));
    Ok(vec![
        BenchmarkRow::time("the program itself, without toolscout", &direct),
        BenchmarkRow::time("overhead of `toolscout run`", &alone.above(&direct))
            .goal(5.0)
            .note(note(&alone)),
        BenchmarkRow::time(
            format!("overhead of `toolscout run`, {} tools", bench.some),
            &among_many.above(&direct),
        )
        .note(note(&among_many)),
    ])
}

fn calls(world: &BenchmarkWorld, rounds: usize) -> anyhow::Result<Samples> {
    let call = ["run", tree::ECHO];
    // The first call probes the program; the result is cached, and not part of this measurement.
    clock::sample(1, || Ok(world.toolscout(&call)))?;
    clock::sample(rounds, || Ok(world.toolscout(&call)))
}

/// The peak memory of a listing.
fn memory(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    world.expect_all()?;
    let what = format!("peak memory of `toolscout tools`, {} tools", bench.some);
    let mut peaks = Vec::new();
    for _ in 0..bench.rounds.min(5) {
        match crate::memory::peak(world.toolscout(&["tools", "--json"]))? {
            Some(bytes) => peaks.push(bytes),
            None => return Ok(vec![BenchmarkRow::unknown(what, "needs /proc")]),
        }
    }
    Ok(vec![BenchmarkRow::memory(what, peaks).goal(20.0)])
}

/// A command without input whose output is discarded.
fn silent(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}
