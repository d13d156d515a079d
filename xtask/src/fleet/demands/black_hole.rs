//! If the network to the database swallows everything, callers that need it wait for a bounded time
//! and all others go on. Broken connections are replaced.

use super::super::checker;
use super::super::load::{Load, LoadPlan, LoadTool};
use super::super::proxy::{FaultProxy, NetworkFault};
use super::super::site::{FleetSite, SiteOptions, pause, wait_until};
use super::super::table::{DemandRow, Times, millis};
use super::super::{FleetCampaign, FleetScale};
use super::Demand;
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const DEMAND: Demand = Demand { name: "black-hole", measure };

/// How long a caller may wait for the database, with the time of the request itself.
const WAIT: Duration = Duration::from_millis(2_500);
/// How long an allowed call may take during the fault.
const CALL: Duration = Duration::from_secs(1);
/// Callers that wait for the database at the same time, at each replica.
const CALLERS: usize = 4;
const READY: Duration = Duration::from_secs(30);

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let port = campaign.postgres.port();
    let proxy = FaultProxy::start(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let url = campaign
        .database(None)
        .replace(&format!(":{port}/"), &format!(":{}/", proxy.addr().port()));
    let site = campaign.site_with(SiteOptions {
        database: Some(url),
        replicas: campaign.plan.replicas,
        ..SiteOptions::default()
    })?;
    let mut rows = black_hole(&site, &proxy, &campaign.plan.scale)?;
    rows.push(broken_connections(&site, &proxy, &campaign.plan.scale)?);
    Ok(rows)
}

fn black_hole(
    site: &FleetSite,
    proxy: &FaultProxy,
    scale: &FleetScale,
) -> anyhow::Result<Vec<DemandRow>> {
    let load = Load::start(site, LoadPlan { clients_per_replica: 2, tool: LoadTool::Echo });
    pause(Duration::from_millis(500));
    proxy.set(NetworkFault::BlackHole);
    let end = Instant::now() + scale.black_hole;
    let waits: Vec<(Duration, bool)> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS * site.len())
            .map(|number| scope.spawn(move || decide_until(site, number, end)))
            .collect();
        let waits = callers.into_iter().map(|caller| caller.join().expect("no panic"));
        anyhow::Ok(waits.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    })?;
    proxy.set(NetworkFault::None);
    (0..site.len()).try_for_each(|replica| site.wait_until_ready(replica))?;
    let history = load.stop();
    let (failed, first) = checker::failures(&history);
    let slowest = Times::of(history.iter().map(|item| item.end - item.begin).collect()).max();
    let decided = waits.iter().filter(|(_, is_done)| *is_done).count();
    let waits = Times::of(waits.into_iter().map(|(time, _)| time).collect());
    let (requests, length) = (history.len(), scale.black_hole.as_secs());
    let first = first.map(|result| format!("; the first: {result:?}")).unwrap_or_default();
    Ok(vec![
        DemandRow::new(
            format!("longest wait of a decision during a black hole of {length} s"),
            "2 s, with the request 2.5 s",
            format!("{}, {} decisions, {decided} acknowledged", millis(waits.max()), waits.len()),
            waits.max() <= WAIT * scale.slack && decided == 0,
        ),
        DemandRow::new(
            "allowed calls and searches during it",
            "0 failed, 1 s",
            format!("{failed} of {requests} failed{first}; the slowest took {}", millis(slowest)),
            failed == 0 && slowest <= CALL * scale.slack,
        ),
    ])
}

/// Creates tokens until then; returns how long each attempt took, and whether it succeeded.
fn decide_until(
    site: &FleetSite,
    number: usize,
    end: Instant,
) -> anyhow::Result<Vec<(Duration, bool)>> {
    let mut client = site.client(number % site.len())?;
    let mut waits = Vec::new();
    while Instant::now() < end {
        let body = json!({"name": format!("hole-{number}-{}", waits.len())});
        let begun = Instant::now();
        let answer = client.api("POST", "/api/tokens", Some(&body))?;
        waits.push((begun.elapsed(), answer.status < 300));
        pause(Duration::from_millis(50));
    }
    Ok(waits)
}

/// Breaks the connections in each other way, and waits until the replicas are ready again.
fn broken_connections(
    site: &FleetSite,
    proxy: &FaultProxy,
    scale: &FleetScale,
) -> anyhow::Result<DemandRow> {
    let load = Load::start(site, LoadPlan { clients_per_replica: 1, tool: LoadTool::Echo });
    let mut recovered = Vec::new();
    for fault in [
        NetworkFault::Delay(Duration::from_millis(100)),
        NetworkFault::Reset,
        NetworkFault::HalfClose,
        NetworkFault::CutAfter(1),
        NetworkFault::CutAfter(700),
    ] {
        proxy.set(fault);
        pause(Duration::from_millis(700));
        proxy.set(NetworkFault::None);
        let begun = Instant::now();
        for replica in 0..site.len() {
            let mut client = site.client(replica)?;
            let name = format!("after-{}-{replica}", recovered.len());
            wait_until(READY, "decisions are possible again", || {
                let body = json!({"name": name});
                let answer = client.api("POST", "/api/tokens", Some(&body));
                // An attempt that was not acknowledged may have created it.
                answer.is_ok_and(|answer| answer.status < 300 || answer.status == 409)
            })?;
        }
        recovered.push(begun.elapsed());
    }
    let history = load.stop();
    let (failed, _) = checker::failures(&history);
    let (faults, slowest) = (recovered.len(), Times::of(recovered).max());
    Ok(DemandRow::new(
        "decisions possible again after delay, reset, half-close and connections cut at a byte",
        "0 allowed calls failed, 2.5 s",
        format!(
            "{failed} of {} failed; the slowest of {faults} took {}",
            history.len(),
            millis(slowest)
        ),
        failed == 0 && slowest <= WAIT * scale.slack,
    ))
}
