//! Measures the release build on trees of its own making, and prints a table to paste into docs/benchmarks.md.
//!
//! Every group is a function of a [`BenchmarkPlan`], which is a program and the sizes of its trees; tests call them with a tiny
//! one. Nothing of the person's own tools, state or settings is read or written.

mod api;
pub(crate) mod beside;
mod build;
mod calls;
mod clock;
mod crowd;
mod encode;
mod floods;
mod gateway;
mod observe;
mod page;
mod plot;
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

/// What is measured, and on how much.
pub(crate) struct BenchmarkPlan {
    /// The program under test, and those it is measured with.
    pub(crate) programs: Programs,
    /// Tool files in the tree that is discovered.
    pub(crate) many: usize,
    /// Tool files in the tree that is worked in.
    pub(crate) some: usize,
    /// How often each thing is done.
    pub(crate) rounds: usize,
    /// Servers of a project that has many.
    pub(crate) servers: usize,
    /// How often a tool of a server is called.
    pub(crate) calls: usize,
    /// In which ways a server floods.
    pub(crate) floods: Floods,
    /// How many tools are searched, in how many sources.
    pub(crate) sizes: &'static [search::CatalogDimensions],
    /// How many tools a new process knows from before.
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
];

pub(crate) fn run(only: Option<&str>) -> anyhow::Result<()> {
    let wanted: Vec<_> = GROUPS.iter().filter(|(name, _)| only.is_none_or(|it| it == *name)).collect();
    if wanted.is_empty() {
        let names: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        bail!("there is no such group; there are {}", names.join(", "));
    }
    let wants_sdk = wanted.iter().any(|(name, _)| *name == "calls");
    let programs = Programs::build(wants_sdk)?;
    let bench = BenchmarkPlan::usual(programs);
    let mut rows = Vec::new();
    for (name, group) in wanted {
        eprintln!("measuring {name} …");
        rows.extend(group(&bench).with_context(|| format!("measure {name}"))?);
    }
    print!("{}", table::markdown(&rows));
    Ok(())
}

/// Measures the page in a browser. By itself, because not everybody has one.
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

/// Finds all tools of a large tree: knowing nothing, then from what an earlier run remembered.
fn discovery(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.many)?;
    world.expect_all()?;
    let cold = clock::sample(bench.rounds, || world.forget().map(|()| world.toolscout(&["tools", "--json"])))?;
    let warm = clock::sample(bench.rounds, || Ok(world.toolscout(&["tools", "--json"])))?;
    let mut rows = vec![
        BenchmarkRow::time(format!("discover {} tool files, cold", bench.many), &cold).goal(400.0),
        BenchmarkRow::time(format!("discover {} tool files, warm", bench.many), &warm).goal(60.0),
    ];
    for argv in world.other_means() {
        let other = clock::sample(bench.rounds, || Ok(world.plain(&argv)))?;
        let what = format!("`{}` in the same tree", argv.join(" "));
        let note = format!("cold {}, warm {} of it", cold.times(&other), warm.times(&other));
        rows.push(BenchmarkRow::time(what, &other).note(note));
    }
    Ok(rows)
}

/// Shows help for everything, and for one tool, where many are known.
fn help(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    world.expect_all()?;
    let all = clock::sample(bench.rounds, || Ok(world.toolscout(&["--help"])))?;
    let last = tree::name(bench.some - 1);
    let one = clock::sample(bench.rounds, || Ok(world.toolscout(&[&last, "--help"])))?;
    Ok(vec![
        BenchmarkRow::time(format!("`toolscout --help`, {} tools", bench.some), &all).goal(15.0),
        BenchmarkRow::time(format!("`toolscout TOOL --help`, {} tools", bench.some), &one).goal(15.0),
    ])
}

/// What a call costs on top of the program that is called.
fn run_overhead(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let small = BenchmarkWorld::new(&bench.programs.toolscout, 0)?;
    let large = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    let direct = clock::sample(2 * bench.rounds, || small.echo_directly())?;
    let alone = calls(&small, 2 * bench.rounds)?;
    let among_many = calls(&large, 2 * bench.rounds)?;
    let note = |it: &Samples| format!("{} the program itself", it.times(&direct));
    Ok(vec![
        BenchmarkRow::time("the program itself, without toolscout", &direct),
        BenchmarkRow::time("`toolscout run`, on top of the program", &alone.above(&direct))
            .goal(5.0)
            .note(note(&alone)),
        BenchmarkRow::time(format!("the same, among {} tools", bench.some), &among_many.above(&direct))
            .note(note(&among_many)),
    ])
}

fn calls(world: &BenchmarkWorld, rounds: usize) -> anyhow::Result<Samples> {
    let call = ["run", tree::ECHO];
    // The first call asks the program what it is; that is remembered, and not what is measured here.
    clock::sample(1, || Ok(world.toolscout(&call)))?;
    clock::sample(rounds, || Ok(world.toolscout(&call)))
}

/// The most memory a listing has at any moment.
fn memory(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.some)?;
    world.expect_all()?;
    let what = format!("memory of `toolscout tools`, {} tools", bench.some);
    let mut peaks = Vec::new();
    for _ in 0..bench.rounds.min(5) {
        match crate::memory::peak(world.toolscout(&["tools", "--json"]))? {
            Some(bytes) => peaks.push(bytes),
            None => return Ok(vec![BenchmarkRow::unknown(what, "needs /proc")]),
        }
    }
    Ok(vec![BenchmarkRow::memory(what, peaks).goal(20.0)])
}

/// A command that reads nothing and whose output nobody sees.
fn silent(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}
