//! Many servers: listed without starting any, and asked together while half of them hang.

use super::Bench;
use super::clock::{self, Samples};
use super::crowd::{Crowd, HANGING, Kind};
use super::table::Row;

/// Refreshes take seconds, so few of them are made.
const REFRESHES: usize = 5;

/// How long each server takes to start where they are asked in parallel, in seconds.
const DELAY: f64 = 0.5;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let mut rows = remembered(bench)?;
    rows.extend(half_hung(bench)?);
    Ok(rows)
}

/// What is remembered of many servers is shown, and none is started for it.
fn remembered(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let crowd = Crowd::new(bench, &vec![Kind::Honest; bench.servers])?;
    crowd.refresh()?;
    crowd.expect_all()?;
    crowd.started()?;
    let count = bench.servers;
    let tools = clock::sample(bench.rounds, || Ok(crowd.world().toolscout(&["tools"])))?;
    let search = ["search", "create", "an", "invoice"];
    let found = clock::sample(bench.rounds, || Ok(crowd.world().toolscout(&search)))?;
    Ok(vec![
        Row::time(format!("`toolscout tools`, {count} servers known"), &tools).goal(30.0),
        Row::time(format!("`toolscout {}`, {count} servers known", search.join(" ")), &found).goal(30.0),
        Row::count("servers started by all of these commands", crowd.started()?).goal(0.0),
    ])
}

/// Every second server hangs; what does that cost the others?
fn half_hung(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let half = bench.servers / 2;
    let hung = (0..half).map(|it| Kind::Hung(HANGING[it % HANGING.len()]));
    let mixed: Vec<Kind> = hung.flat_map(|it| [Kind::Honest, it]).collect();
    let (alone, mixed) = (Crowd::new(bench, &vec![Kind::Honest; half])?, Crowd::new(bench, &mixed)?);
    let as_many = Crowd::new(bench, &vec![Kind::Honest; 2 * half])?;
    let mut times: [Vec<_>; 5] = Default::default();
    // In turns, so that a busy moment of the machine hits both.
    for _ in 0..bench.rounds.min(REFRESHES) {
        [&alone, &mixed, &as_many].iter().try_for_each(|it| it.world().forget())?;
        for (crowd, at) in [(&alone, 0), (&mixed, 1), (&as_many, 2), (&alone, 3), (&mixed, 4)] {
            times[at].push(crowd.refresh()?);
        }
    }
    let [first_alone, first, first_as_many, again_alone, again] = times.map(Samples::of);
    let (first_alone, first, first_as_many) = (first_alone?, first?, first_as_many?);
    let (again_alone, again) = (again_alone?, again?);
    let listed = while_refreshing(bench, &mixed)?;
    Ok(vec![
        Row::time(format!("{half} servers discovered, knowing nothing"), &first_alone),
        Row::time(format!("the same beside {half} that hang"), &first),
        Row::ratio("that is", &first, &first_alone).goal(1.25),
        // Who knows nothing must start them all, so this is what it takes at least.
        Row::time(format!("{} servers discovered, knowing nothing, none of which hangs", 2 * half), &first_as_many),
        Row::time(format!("{half} servers discovered again"), &again_alone),
        Row::time(format!("the same beside {half} that hang"), &again),
        Row::ratio("that is", &again, &again_alone).goal(1.25),
        Row::time("`toolscout tools --json` during that", &listed).goal(300.0),
    ])
}

/// Lists again and again while servers are asked, with some of them hanging.
fn while_refreshing(bench: &Bench, crowd: &Crowd) -> anyhow::Result<Samples> {
    let mut refreshing = crowd.start_refresh()?;
    crowd.expect_all()?;
    let mut times = Vec::new();
    while times.len() < bench.rounds {
        let one = clock::sample(1, || Ok(crowd.world().toolscout(&["tools", "--json"])))?;
        // One that ran into the end of the refresh counts only if there is no other.
        if refreshing.is_done()? && !times.is_empty() {
            break;
        }
        times.push(one.best());
    }
    Samples::of(times)
}

/// Servers that are slow to start, all at once, against one of them.
pub(super) fn measure_parallel(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let count = bench.servers * 2 / 5;
    let (one, many) = (Crowd::new(bench, &[Kind::Slow(DELAY)])?, Crowd::new(bench, &vec![Kind::Slow(DELAY); count])?);
    let mut times: [Vec<_>; 2] = Default::default();
    for _ in 0..bench.rounds.min(REFRESHES) {
        times[0].push(one.refresh()?);
        times[1].push(many.refresh()?);
    }
    let [slowest, all] = times.map(Samples::of);
    let (slowest, all) = (slowest?, all?);
    let note = format!("one after the other they would take {count}×");
    Ok(vec![
        Row::time(format!("one server discovered that takes {DELAY} s to start"), &slowest),
        Row::time(format!("{count} such servers discovered"), &all),
        Row::ratio("that is", &all, &slowest).note(note),
    ])
}
