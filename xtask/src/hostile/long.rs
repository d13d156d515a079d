//! Modes whose effect takes time: each runs for a minute with hosted servers.
//!
//! Each has its own project, host and server, and all run at the same time.

mod host;
mod scenario;

use super::HostilePrograms;
use super::survivors;
use super::terms::{MeetingTransport, TimeLimits};
use super::world::HostileWorld;
use anyhow::{Context, ensure};
use host::ServerHost;
use scenario::{SCENARIOS, Scenario};
use serde_json::Value;
use std::thread;
use std::time::Duration;

/// The maximum memory above that of a host with an honest server, in MiB.
const ROOM: u64 = 64;

/// The maximum processor time of one server in its minute, in seconds.
const BUSY: f64 = 36.0;

const HEAD: &str = "\
| mode | verdict | starts | lists | lists per minute | peak MB | CPU s | result |
|---|---|---:|---:|---:|---:|---:|---|";

pub(super) fn run(
    programs: &HostilePrograms,
    server: &[String],
    modes: &[String],
) -> anyhow::Result<()> {
    let wanted = SCENARIOS
        .iter()
        .filter(|scenario| modes.is_empty() || modes.iter().any(|mode| *mode == scenario.name));
    let rows: Vec<anyhow::Result<LongRunRow>> = thread::scope(|scope| {
        let running: Vec<_> =
            wanted.map(|value| scope.spawn(move || hold(programs, server, value))).collect();
        let ended = running
            .into_iter()
            .map(|running| running.join().unwrap_or_else(|_| Err(anyhow::anyhow!("it panicked"))));
        ended.collect()
    });
    println!("{HEAD}");
    let mut failed = 0;
    for row in rows {
        let row = row?;
        failed += usize::from(!row.faults.is_empty());
        println!("{}", row.markdown());
    }
    ensure!(failed == 0, "{failed} scenarios failed");
    Ok(())
}

/// The result of one scenario.
struct LongRunRow {
    name: &'static str,
    faults: Vec<String>,
    starts: usize,
    lists: usize,
    /// The maximum number of lists by one process in a minute.
    in_a_minute: usize,
    peak: u64,
    cpu: f64,
    seen: String,
}

impl LongRunRow {
    fn markdown(&self) -> String {
        let verdict = if self.faults.is_empty() { "pass" } else { "**fail**" };
        let said = if self.faults.is_empty() { self.seen.clone() } else { self.faults.join("; ") };
        let Self { name, starts, lists, in_a_minute, peak, cpu, .. } = self;
        format!(
            "| {name} | {verdict} | {starts} | {lists} | {in_a_minute} | {peak} | {cpu:.1} | {} |",
            super::table::fit_for_a_cell(&said)
        )
    }
}

fn hold(
    programs: &HostilePrograms,
    server: &[String],
    scenario: &'static Scenario,
) -> anyhow::Result<LongRunRow> {
    let about = || format!("hold {}", scenario.name);
    let terms = TimeLimits::FULL;
    let world = HostileWorld::new(programs, server, scenario.mode, MeetingTransport::Stdio, &terms)
        .with_context(about)?;
    let host = ServerHost::start(&world).with_context(about)?;
    let base = host.peak();
    let outcome = (scenario.plays)(&world);
    let (starts, listed) = (world.count("start", None), world.events("recv", Some("tools/list")));
    let (lists, in_a_minute) = (listed.len(), busiest(&listed));
    let (peak, cpu) = (host.peak(), host.cpu());
    let said = host.interrupt()?;
    let mut faults = Vec::new();
    let mut fault = |is_so: bool, what: String| is_so.then(|| faults.push(what));
    let seen = match outcome {
        Ok(seen) => seen,
        Err(error) => {
            fault(true, format!("{error:#}"));
            String::new()
        }
    };
    fault(starts > scenario.starts, format!("{starts} starts"));
    fault(in_a_minute > scenario.lists, format!("{in_a_minute} lists in a minute"));
    fault(
        peak > base + ROOM,
        format!("{} MiB more than without the server", peak.saturating_sub(base)),
    );
    fault(cpu > BUSY, format!("{cpu:.0} s of a core"));
    fault(said.contains("panicked at"), "it panicked".to_owned());
    let left = survivors::count(&world.mark);
    fault(left > 0, format!("{left} processes survive"));
    Ok(LongRunRow { name: scenario.name, faults, starts, lists, in_a_minute, peak, cpu, seen })
}

/// The maximum number of these events in one process within a minute.
pub(super) fn busiest(events: &[Value]) -> usize {
    let minute = |first: &Value, value: &Value| {
        let after =
            value["t"].as_f64().unwrap_or_default() - first["t"].as_f64().unwrap_or_default();
        value["pid"] == first["pid"] && (0.0..60.0).contains(&after)
    };
    events
        .iter()
        .map(|first| events.iter().filter(|event| minute(first, event)).count())
        .max()
        .unwrap_or(0)
}

/// Waits without a condition: the test is that nothing happens.
fn wait(time: Duration) {
    let end = std::time::Instant::now() + time;
    while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
        thread::park_timeout(left);
    }
}
