//! Many servers: listed without starting any, and refreshed together while half of them hang.

use super::BenchmarkPlan;
use super::clock::{self, Samples};
use super::crowd::{HANGING, ServerBehaviour, ServerCrowd};
use super::table::BenchmarkRow;

/// Refreshes take seconds, so only a few are measured.
const REFRESHES: usize = 5;

/// The start time of each server in the parallel measurement, in seconds.
const DELAY: f64 = 0.5;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let mut rows = remembered(bench)?;
    rows.extend(half_hung(bench)?);
    Ok(rows)
}

/// Lists the cached tools of many servers; no server is started.
fn remembered(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &vec![ServerBehaviour::Honest; bench.servers])?;
    crowd.refresh()?;
    crowd.expect_all()?;
    crowd.started()?;
    let count = bench.servers;
    let tools = clock::sample(bench.rounds, || Ok(crowd.world().toolscout(&["tools"])))?;
    let search = ["search", "create", "an", "invoice"];
    let found = clock::sample(bench.rounds, || Ok(crowd.world().toolscout(&search)))?;
    Ok(vec![
        BenchmarkRow::time(format!("`toolscout tools`, {count} servers cached"), &tools).goal(30.0),
        BenchmarkRow::time(
            format!("`toolscout {}`, {count} servers cached", search.join(" ")),
            &found,
        )
        .goal(30.0),
        BenchmarkRow::count("servers started by these commands", crowd.started()?).goal(0.0),
    ])
}

/// Half of the servers hang; measures the cost for the others.
fn half_hung(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let half = bench.servers / 2;
    let hung = (0..half).map(|index| ServerBehaviour::Hung(HANGING[index % HANGING.len()]));
    let mixed: Vec<ServerBehaviour> =
        hung.flat_map(|hung| [ServerBehaviour::Honest, hung]).collect();
    let (alone, mixed) = (
        ServerCrowd::new(bench, &vec![ServerBehaviour::Honest; half])?,
        ServerCrowd::new(bench, &mixed)?,
    );
    let as_many = ServerCrowd::new(bench, &vec![ServerBehaviour::Honest; 2 * half])?;
    let mut times: [Vec<_>; 5] = Default::default();
    // In turns, so that load on the machine affects both.
    for _ in 0..bench.rounds.min(REFRESHES) {
        [&alone, &mixed, &as_many].iter().try_for_each(|item| item.world().forget())?;
        for (crowd, at) in [(&alone, 0), (&mixed, 1), (&as_many, 2), (&alone, 3), (&mixed, 4)] {
            times[at].push(crowd.refresh()?);
        }
    }
    let [first_alone, first, first_as_many, again_alone, again] = times.map(Samples::of);
    let (first_alone, first, first_as_many) = (first_alone?, first?, first_as_many?);
    let (again_alone, again) = (again_alone?, again?);
    let listed = while_refreshing(bench, &mixed)?;
    Ok(vec![
        BenchmarkRow::time(format!("discover {half} servers, empty cache"), &first_alone),
        BenchmarkRow::time(format!("the same, with {half} more that hang"), &first),
        BenchmarkRow::ratio("ratio", &first, &first_alone).goal(1.25),
        // Without a cache all servers must be started, so this is the minimum time.
        BenchmarkRow::time(
            format!("discover {} servers, empty cache, none hangs", 2 * half),
            &first_as_many,
        ),
        BenchmarkRow::time(format!("discover {half} servers again"), &again_alone),
        BenchmarkRow::time(format!("the same, with {half} more that hang"), &again),
        BenchmarkRow::ratio("ratio", &again, &again_alone).goal(1.25),
        BenchmarkRow::time("`toolscout tools --json` during the refresh", &listed).goal(300.0),
    ])
}

/// Lists repeatedly during a refresh in which some servers hang.
fn while_refreshing(bench: &BenchmarkPlan, crowd: &ServerCrowd) -> anyhow::Result<Samples> {
    let mut refreshing = crowd.start_refresh()?;
    crowd.expect_all()?;
    let mut times = Vec::new();
    while times.len() < bench.rounds {
        let one = clock::sample(1, || Ok(crowd.world().toolscout(&["tools", "--json"])))?;
        // A listing that overlapped the end of the refresh counts only if there is no other.
        if refreshing.is_done()? && !times.is_empty() {
            break;
        }
        times.push(one.best());
    }
    Samples::of(times)
}

/// Slow-starting servers, all at once, compared with one of them.
pub(super) fn measure_parallel(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let count = bench.servers * 2 / 5;
    let (one, many) = (
        ServerCrowd::new(bench, &[ServerBehaviour::Slow(DELAY)])?,
        ServerCrowd::new(bench, &vec![ServerBehaviour::Slow(DELAY); count])?,
    );
    let mut times: [Vec<_>; 2] = Default::default();
    for _ in 0..bench.rounds.min(REFRESHES) {
        times[0].push(one.refresh()?);
        times[1].push(many.refresh()?);
    }
    let [slowest, all] = times.map(Samples::of);
    let (slowest, all) = (slowest?, all?);
    let note = format!("one after the other: {count}×");
    Ok(vec![
        BenchmarkRow::time(format!("discover one server that takes {DELAY} s to start"), &slowest),
        BenchmarkRow::time(format!("discover {count} such servers"), &all),
        BenchmarkRow::ratio("ratio", &all, &slowest).note(note),
    ])
}
