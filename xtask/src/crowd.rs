//! Runs an honest client beside a greedy one, and measures what the honest one notices.
//!
//! Each greedy behavior meets a fresh `toolscout serve --http`, once with the token of the honest
//! client and once with another one. The honest client calls a tool of a server: first alone, which
//! is the baseline of the same run, then beside the greedy client. No call may be refused.

mod greed;
mod site;
#[cfg(test)]
mod tests;

use crate::hostile::{HostilePrograms, build};
use anyhow::{Context, ensure};
use greed::{BEHAVIORS, Behavior};
use serde_json::json;
use site::{CrowdSite, HonestClient};
use std::time::{Duration, Instant};

/// The measurement of one behavior.
#[derive(Debug)]
struct CrowdRow {
    behavior: &'static str,
    token: &'static str,
    alone: Latencies,
    beside: Latencies,
}

/// The times of the calls of the honest client, sorted, and the number of calls without a result.
#[derive(Debug, Default)]
struct Latencies {
    times: Vec<Duration>,
    refused: usize,
}

impl Latencies {
    fn percentile(&self, percent: usize) -> f64 {
        let at = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

/// Arguments are `--calls N` and `--debug` for a debug build.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (mut calls, mut is_debug) = (1_000, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--debug" => is_debug = true,
            "--calls" => {
                calls = words.next().context("`--calls` needs a number")?.parse()?;
            }
            other => anyhow::bail!("`{other}` is not an argument of `crowd`"),
        }
    }
    let programs = build::programs(is_debug)?;
    println!(
        "| greedy client | token | p50 alone | p99 alone | p50 beside | p99 beside | refused |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut refused = 0;
    for behavior in BEHAVIORS {
        for has_same_token in [true, false] {
            let row = measure(&programs, behavior, has_same_token, calls)?;
            let times = [&row.alone, &row.beside]
                .map(|it| format!("{:.1} ms | {:.1} ms", it.percentile(50), it.percentile(99)));
            let [alone, beside] = times;
            refused += row.alone.refused + row.beside.refused;
            let CrowdRow { behavior, token, beside: Latencies { refused, .. }, .. } = row;
            println!("| {behavior} | {token} | {alone} | {beside} | {refused} |");
        }
    }
    ensure!(refused == 0, "{refused} calls of the honest client were refused");
    Ok(())
}

fn measure(
    programs: &HostilePrograms,
    behavior: &Behavior,
    has_same_token: bool,
    calls: usize,
) -> anyhow::Result<CrowdRow> {
    let site = CrowdSite::open(programs)?;
    let mut honest = site.honest()?;
    call(&mut honest, 10);
    let alone = call(&mut honest, calls);
    let token = if has_same_token { &site.agent } else { &site.operator };
    let greed = (behavior.begin)(&site, token)?;
    let beside = call(&mut honest, calls);
    drop(greed);
    let token = if has_same_token { "same" } else { "another" };
    Ok(CrowdRow { behavior: behavior.name, token, alone, beside })
}

/// Calls the tool so many times, one call after the other.
fn call(honest: &mut HonestClient, calls: usize) -> Latencies {
    let mut latencies = Latencies::default();
    for _ in 0..calls {
        let started = Instant::now();
        let params = site::execute("s/echo", &json!({"text": "hi"}));
        match honest.call("tools/call", params) {
            Ok(answer) if answer["result"]["content"][0]["text"] == "hi" => {
                latencies.times.push(started.elapsed());
            }
            _ => latencies.refused += 1,
        }
    }
    latencies.times.sort();
    latencies
}
