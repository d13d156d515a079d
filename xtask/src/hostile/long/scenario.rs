//! The scenario that each mode runs for a minute.

use super::wait;
use crate::hostile::world::HostileWorld;
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) mode: &'static str,
    /// The maximum number of starts of the server.
    pub(super) starts: usize,
    /// The maximum number of list requests to one of its processes in any minute.
    pub(super) lists: usize,
    /// Runs the scenario; returns a remark for the table.
    pub(super) plays: fn(&HostileWorld) -> anyhow::Result<String>,
}

/// A minute without calls, with the budgets of docs/reference/limits.md: six starts a minute after the first,
/// and a list each five seconds.
const fn left_alone(mode: &'static str) -> Scenario {
    Scenario { name: mode, mode, starts: 7, lists: 12, plays: leave_alone }
}

/// The same with a server that stays usable.
const fn borne(mode: &'static str) -> Scenario {
    Scenario { plays: bear, ..left_alone(mode) }
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario { plays: start_in_vain, ..left_alone("exit_now") },
    left_alone("exit_after_list"),
    borne("storm"),
    borne("storm_after_list"),
    borne("churn"),
    Scenario { plays: see_the_new_list, ..left_alone("changed_mid_list") },
    Scenario { plays: see_through, ..left_alone("rug_flipflop") },
    borne("stderr_firehose"),
    borne("notify_flood"),
    borne("server_requests"),
    Scenario {
        name: "flap_calls",
        mode: "flap_calls",
        starts: 12,
        lists: 1,
        plays: lose_every_third,
    },
    // One start to find its tools, and one for all the calls.
    Scenario { name: "100 cancelled calls", mode: "honest", starts: 2, lists: 1, plays: cancel },
];

/// Starts a server that fails, and observes its restarts for a minute.
fn start_in_vain(world: &HostileWorld) -> anyhow::Result<String> {
    let start = world.run(&["server", "start", "hostile"])?;
    ensure!(start.code() != Some(0), "`server start` reported success");
    wait(MINUTE);
    Ok(format!("{}, reason: {}", state(world)?, start.complained().trim()))
}

fn leave_alone(world: &HostileWorld) -> anyhow::Result<String> {
    let (first, last) = call_twice(world)?;
    Ok(format!("{}, first call {}, last call {}", state(world)?, word(first), word(last)))
}

fn bear(world: &HostileWorld) -> anyhow::Result<String> {
    let (first, last) = call_twice(world)?;
    ensure!(first && last, "first call {}, last call {}", word(first), word(last));
    Ok(format!("{}, both calls answered", state(world)?))
}

/// A tool that was approved and then changes with every other list is not called again.
fn see_through(world: &HostileWorld) -> anyhow::Result<String> {
    let (first, last) = call_twice(world)?;
    ensure!(first && !last, "first call {}, last call {}", word(first), word(last));
    Ok(format!("{}, first call answered, last call refused", state(world)?))
}

/// Starts the server, calls it, waits a minute, and calls it again after its honest neighbour.
/// Returns which of its calls succeeded.
fn call_twice(world: &HostileWorld) -> anyhow::Result<(bool, bool)> {
    let start = world.run(&["server", "start", "hostile"])?;
    ensure!(start.code() == Some(0), "it was not started: {}", start.complained());
    let first = call(world, "hostile", "hi")?;
    wait(MINUTE);
    ensure!(call(world, "honest", "hi")?, "the honest server's tool does not answer");
    Ok((first, call(world, "hostile", "hi")?))
}

fn see_the_new_list(world: &HostileWorld) -> anyhow::Result<String> {
    let start = world.run(&["server", "start", "hostile"])?;
    ensure!(start.code() == Some(0), "it was not started: {}", start.complained());
    // The call makes it list, and so announce the change.
    ensure!(call(world, "hostile", "hi")?, "the call does not answer");
    wait(Duration::from_secs(5));
    let tools = names(world)?;
    ensure!(
        tools.iter().any(|tool| tool == "v2"),
        "the outdated list stands: {}",
        tools.join(", ")
    );
    wait(MINUTE);
    Ok(format!("{}; {}", state(world)?, tools.join(", ")))
}

fn lose_every_third(world: &HostileWorld) -> anyhow::Result<String> {
    let mut lost = 0;
    for at in 0..30 {
        lost += usize::from(!call(world, "hostile", &format!("call {at}"))?);
    }
    ensure!(lost == 10, "{lost} of 30 calls are lost, not every third");
    Ok("every third call lost, and no other".to_owned())
}

fn cancel(world: &HostileWorld) -> anyhow::Result<String> {
    let start = world.run(&["server", "start", "hostile"])?;
    ensure!(start.code() == Some(0), "it was not started: {}", start.complained());
    let cancelled = || world.count("recv", Some("notifications/cancelled"));
    for round in 0..10 {
        let mut calls: Vec<Child> = (0..10).map(|_| sleep(world)).collect::<Result<_, _>>()?;
        let arrived = || world.count("recv", Some("tools/call")) >= (round + 1) * 10;
        let arrive = until("ten more calls arrive", arrived);
        for call in &mut calls {
            call.kill()?;
            call.wait()?;
        }
        arrive?;
    }
    until("every call is cancelled", || cancelled() >= 100)?;
    until("no call is running", || state(world).is_ok_and(|state| state == "idle"))?;
    ensure!(call(world, "hostile", "hi")?, "the next call does not answer");
    Ok(format!("{} calls cancelled at the server, then {}", cancelled(), state(world)?))
}

fn sleep(world: &HostileWorld) -> anyhow::Result<Child> {
    let mut command = world.command(&["run", "hostile/sleep", "--seconds", "60"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("start a call")
}

/// Whether the tool echoes its text.
fn call(world: &HostileWorld, source: &str, text: &str) -> anyhow::Result<bool> {
    let call = world.run(&["run", &format!("{source}/echo"), "--text", text])?;
    Ok(call.code() == Some(0) && call.said().contains(text))
}

fn word(answered: bool) -> &'static str {
    if answered { "answered" } else { "lost" }
}

/// The state of the hostile server in `server list`.
fn state(world: &HostileWorld) -> anyhow::Result<String> {
    let listed: Value = serde_json::from_slice(&world.run(&["server", "list", "--json"])?.out)?;
    let mut servers = listed["servers"].as_array().into_iter().flatten();
    let hostile = servers
        .find(|server| server["id"] == "hostile")
        .context("the hostile server is not listed")?;
    Ok(hostile["state"].as_str().unwrap_or_default().to_owned())
}

fn names(world: &HostileWorld) -> anyhow::Result<Vec<String>> {
    let tools: Vec<Value> = serde_json::from_slice(&world.run(&["tools", "--json"])?.out)?;
    let its = tools.iter().filter(|tool| tool["source"] == "hostile");
    Ok(its.filter_map(|its| its["name"].as_str().map(str::to_owned)).collect())
}

fn until(what: &str, is_so: impl Fn() -> bool) -> anyhow::Result<()> {
    let end = Instant::now() + MINUTE;
    while !is_so() {
        if Instant::now() > end {
            bail!("timed out before {what}");
        }
        wait(Duration::from_millis(50));
    }
    Ok(())
}
