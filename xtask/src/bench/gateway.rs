//! The cost of toolscout between an agent and a server: at startup, per call, in bulk, and idle.
//!
//! The same client talks to the server directly and through `toolscout serve`, in turns, so that
//! the difference is the cost of toolscout, and load on the machine affects both.

mod http;

use super::BenchmarkPlan;
use super::clock::Samples;
use super::crowd::{ServerBehaviour, ServerCrowd};
use super::table::BenchmarkRow;
use super::wire::{StdioConversation, cpu_time, resident};
use super::world::BenchmarkWorld;
use anyhow::Context;
pub(super) use http::Served;
#[cfg(test)]
pub(super) use http::flight;
use std::process::Command;
use std::time::{Duration, Instant};

const BLOCKS: usize = 20;
/// The number of concurrent calls.
const TOGETHER: usize = 64;
/// Percentiles, and the maximum overhead of toolscout at each, in microseconds.
const GOALS: [(usize, f64); 2] = [(50, 100.0), (99, 500.0)];

const DIRECT: &str =
    r#"{"name":"echo","arguments":{"text":"the quick brown fox jumps over the lazy dog"}}"#;
const EXECUTED: &str = r#"{"name":"execute_tool","arguments":{"name":"s000/echo","arguments":{"text":"the quick brown fox jumps over the lazy dog"}}}"#;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let mut rows = start(bench)?;
    rows.extend(one_by_one(bench)?);
    rows.extend(together(bench)?);
    rows.extend(http::measure(bench)?);
    rows.extend(at_rest(bench)?);
    Ok(rows)
}

/// From process start to the first list, with many known servers, none of which is started.
fn start(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &vec![ServerBehaviour::Honest; bench.servers])?;
    crowd.refresh()?;
    crowd.started()?;
    let mut times = Vec::new();
    for _ in 0..bench.rounds {
        let since = Instant::now();
        let mut wire = StdioConversation::greet(crowd.world().toolscout(&["serve"]))?;
        wire.ask("tools/list", "{}")?;
        times.push(since.elapsed());
        wire.end()?;
    }
    Ok(vec![
        BenchmarkRow::time(
            format!(
                "`toolscout serve`, start to first `tools/list`, {} servers cached",
                bench.servers
            ),
            &Samples::of(times)?,
        )
        .goal(10.0),
        BenchmarkRow::count("servers started by that", crowd.started()?).goal(0.0),
    ])
}

/// Sequential calls.
fn one_by_one(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &[ServerBehaviour::Quick])?;
    crowd.refresh()?;
    let (mut direct, mut through) = both(bench, &crowd)?;
    let size = (bench.calls / BLOCKS).max(1);
    direct.calls(DIRECT, size)?;
    through.calls(EXECUTED, size)?;
    let mut blocks: [Vec<Samples>; 2] = Default::default();
    for _ in 0..BLOCKS {
        blocks[0].push(Samples::of(direct.calls(DIRECT, size)?)?);
        blocks[1].push(Samples::of(through.calls(EXECUTED, size)?)?);
    }
    let mut rows = Vec::new();
    for (percent, goal) in GOALS {
        let [bare, ours] = [&blocks[0], &blocks[1]]
            .map(|value| Samples::of(value.iter().map(|item| item.percentile(percent)).collect()));
        let (bare, ours) = (bare?, ours?);
        rows.push(BenchmarkRow::short_time(
            format!("direct call of the server, p{percent}"),
            &bare,
        ));
        rows.push(
            BenchmarkRow::short_time(
                format!("overhead of `execute_tool`, p{percent}"),
                &ours.above(&bare),
            )
            .goal(goal),
        );
    }
    Ok(rows)
}

/// Concurrent calls: the throughput per second, and the processor time of toolscout per call.
fn together(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &[ServerBehaviour::Quick])?;
    crowd.refresh()?;
    let (mut direct, mut through) = both(bench, &crowd)?;
    let size = bench.calls.max(TOGETHER);
    direct.flight(DIRECT, size, TOGETHER)?;
    through.flight(EXECUTED, size, TOGETHER)?;
    let (mut bare, mut ours, mut spent) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds.min(7) {
        bare.push(per_call(direct.flight(DIRECT, size, TOGETHER)?, size));
        let before = cpu_time(through.process());
        ours.push(per_call(through.flight(EXECUTED, size, TOGETHER)?, size));
        spent.extend(
            cpu_time(through.process())
                .zip(before)
                .map(|(after, before)| per_call(after.saturating_sub(before), size)),
        );
    }
    let (bare, ours) = (Samples::of(bare)?, Samples::of(ours)?);
    let each_second = |samples: &Samples| {
        format!("{:.0} calls per second at best", 1.0 / samples.best().as_secs_f64())
    };
    let mut rows = vec![
        BenchmarkRow::short_time(format!("direct call of the server, {TOGETHER} in flight"), &bare)
            .note(each_second(&bare)),
        BenchmarkRow::short_time(format!("`execute_tool`, {TOGETHER} in flight"), &ours)
            .goal(40.0)
            .note(each_second(&ours)),
    ];
    rows.push(match Samples::of(spent) {
        Ok(spent) => BenchmarkRow::short_time("CPU time of toolscout per call", &spent).goal(40.0),
        Err(_) => {
            BenchmarkRow::unknown("CPU time of toolscout per call", "not reported by this system")
        }
    });
    Ok(rows)
}

/// The idle memory, with many known tools.
fn at_rest(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, bench.some / 2)?;
    let mut sizes = Vec::new();
    for _ in 0..bench.rounds.min(5) {
        let mut wire = StdioConversation::greet(world.toolscout(&["serve"]))?;
        wire.ask("tools/list", "{}")?;
        sizes.extend(resident(wire.process()));
        wire.end()?;
    }
    let what =
        format!("resident memory of idle `toolscout serve`, {} tools cached", bench.some / 2);
    Ok(vec![if sizes.is_empty() {
        BenchmarkRow::unknown(what, "not reported by this system")
    } else {
        BenchmarkRow::memory(what, sizes).goal(12.0)
    }])
}

fn both(
    bench: &BenchmarkPlan,
    crowd: &ServerCrowd,
) -> anyhow::Result<(StdioConversation, StdioConversation)> {
    let mut server = Command::new(&bench.programs.server);
    server.args(["--quick", "--ttl", "600"]);
    let direct = StdioConversation::greet(server).context("greet the server")?;
    let through =
        StdioConversation::greet(crowd.world().toolscout(&["serve"])).context("greet toolscout")?;
    Ok((direct, through))
}

fn per_call(time: Duration, calls: usize) -> Duration {
    time / u32::try_from(calls).unwrap_or(u32::MAX)
}
