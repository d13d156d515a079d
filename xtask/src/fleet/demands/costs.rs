//! The costs of a fleet beside the same program without one: memory, transactions, time of a call.

use super::super::FleetCampaign;
use super::super::client::{CallResult, ReplicaClient};
use super::super::site::{FleetSite, SiteOptions, pause};
use super::super::table::{DemandRow, Times, millis};
use super::Demand;
use crate::memory::high_water;
use anyhow::{Context, ensure};
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

pub(super) const DEMAND: Demand = Demand { name: "costs", measure };

/// Calls in a row before the other program has its turn.
const TURN: usize = 20;
const TURNS: usize = 25;
/// What a replica may need more, in bytes.
const MEMORY: u64 = 4 << 20;
/// What the median of a call may need more.
const CALL: Duration = Duration::from_micros(50);
/// Transactions in a second with which each replica sends its audit log.
const SHIPMENTS: f64 = 3.0;

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let database = campaign.database(None);
    let fleet = campaign.site_with(SiteOptions {
        database: Some(database.clone()),
        replicas: 1,
        ..SiteOptions::default()
    })?;
    let alone = campaign.site_with(SiteOptions { replicas: 1, ..SiteOptions::default() })?;
    let [with, without] = latencies([&fleet, &alone])?;
    let [in_fleet, on_one] = [&fleet, &alone].map(memory);
    let (in_fleet, on_one) = (in_fleet?, on_one?);
    let more = in_fleet.saturating_sub(on_one);
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / f64::from(1 << 20));
    let [p50, p99] =
        [50, 99].map(|percent| (with.percentile(percent), without.percentile(percent)));
    Ok(vec![
        DemandRow::new(
            "allowed call through a replica, beside one machine, in turns",
            format!("p50 +{}", millis(CALL)),
            format!(
                "p50 {} and {}, p99 {} and {}, {} calls each",
                millis(p50.0),
                millis(p50.1),
                millis(p99.0),
                millis(p99.1),
                with.len()
            ),
            p50.0 <= p50.1 + CALL,
        ),
        transactions(campaign, &fleet)?,
        DemandRow::new(
            "memory of a replica, beside one machine",
            format!("+{}", megabytes(MEMORY)),
            format!("{} and {}", megabytes(in_fleet), megabytes(on_one)),
            more <= MEMORY,
        ),
    ])
}

/// The times of calls at both sites, a few at a time.
fn latencies(sites: [&FleetSite; 2]) -> anyhow::Result<[Times; 2]> {
    let mut clients = [sites[0].client(0)?, sites[1].client(0)?];
    let mut times = [Vec::new(), Vec::new()];
    // The first calls start the server.
    clients.iter_mut().try_for_each(|client| calls(client, TURN).map(drop))?;
    for _ in 0..TURNS {
        for (client, times) in clients.iter_mut().zip(&mut times) {
            times.extend(calls(client, TURN)?);
        }
    }
    Ok(times.map(Times::of))
}

fn calls(client: &mut ReplicaClient, count: usize) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    for _ in 0..count {
        let begun = Instant::now();
        let result = client.call("s/echo", &json!({"text": "hi"}));
        times.push(begun.elapsed());
        ensure!(result == CallResult::Succeeded, "{result:?}");
    }
    Ok(times)
}

/// Transactions in a window without calls, and in one with as many as possible.
fn transactions(campaign: &FleetCampaign<'_>, fleet: &FleetSite) -> anyhow::Result<DemandRow> {
    let window = campaign.plan.scale.window;
    let committed = || -> anyhow::Result<f64> {
        // The server counts them with a delay of up to a second after a transaction.
        pause(Duration::from_secs(2));
        let sum = "SELECT sum(xact_commit) FROM pg_stat_database WHERE datname LIKE 'test%'";
        Ok(campaign.postgres.sql("postgres", sum).parse()?)
    };
    let before = committed()?;
    pause(window);
    let idle = committed()?;
    let mut client = fleet.client(0)?;
    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < window {
        count += calls(&mut client, TURN)?.len();
    }
    let busy = committed()?;
    let more = ((busy - idle) - (idle - before)).max(0.0);
    let bound = SHIPMENTS * (window.as_secs_f64() + 2.0);
    Ok(DemandRow::new(
        "PostgreSQL transactions for allowed calls, without heartbeats",
        format!("only those that send the audit log, at most {SHIPMENTS} a second"),
        format!("{more} for {count} calls, {:.4} a call", more / f64::from(u32::try_from(count)?)),
        more <= bound,
    ))
}

/// The most memory that the process had, in bytes.
fn memory(site: &FleetSite) -> anyhow::Result<u64> {
    let status = format!("/proc/{}/status", site.process(0));
    high_water(&fs::read_to_string(&status).context(status)?).context("no size in it")
}
