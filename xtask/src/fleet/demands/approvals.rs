//! A call that is approved on one replica succeeds on the others soon after the acknowledgement.

use super::super::client::{CallResult, ReplicaClient};
use super::super::site::{FleetSite, wait_until};
use super::super::table::{DemandRow, Times, millis};
use super::super::{DatabaseRoute, FleetCampaign};
use super::Demand;
use super::database_kills::pending_id;
use anyhow::ensure;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(super) const DEMAND: Demand =
    Demand { name: "approvals", measure: |campaign| measure(campaign, DatabaseRoute::Direct) };

/// How long an approval may take to arrive before the measurement fails.
const LIMIT: Duration = Duration::from_secs(10);

pub(super) fn measure(
    campaign: &mut FleetCampaign<'_>,
    route: DatabaseRoute,
) -> anyhow::Result<Vec<DemandRow>> {
    let pooler = campaign.pooler(route)?;
    let site = campaign.site(pooler.as_ref())?;
    let times = latencies(&site, campaign.plan.scale.samples)?;
    Ok(vec![row(campaign, &times, route, "")])
}

/// The row of the table.
pub(super) fn row(
    campaign: &FleetCampaign<'_>,
    times: &Times,
    route: DatabaseRoute,
    condition: &str,
) -> DemandRow {
    let (way, limit) = match route {
        DatabaseRoute::Direct => ("notification", Duration::from_millis(50)),
        DatabaseRoute::Pooled => ("poll alone", Duration::from_millis(600)),
    };
    let (p50, p99) = (times.percentile(50), times.percentile(99));
    DemandRow::new(
        format!("approved on one replica, the call succeeds on another{condition} ({way})"),
        format!("p99 {}", millis(limit)),
        format!("p50 {}, p99 {}, {} approvals", millis(p50), millis(p99), times.len()),
        p99 <= limit * campaign.plan.scale.slack,
    )
}

/// The times from the acknowledgement of an approval to the result of the call at another replica.
pub(super) fn latencies(site: &FleetSite, samples: usize) -> anyhow::Result<Times> {
    let mut times = Vec::new();
    let count = site.len();
    for sample in 0..samples {
        let [requester, approver] = [sample % count, (sample + 1) % count];
        // With three replicas or more, every second call is repeated at a third one.
        let runner =
            if sample.is_multiple_of(2) { requester } else { (sample + 2) % count.max(3) % count };
        let arguments = json!({"a": sample, "b": 1});
        let result = site.client(requester)?.call("s/add", &arguments);
        ensure!(result == CallResult::Pending, "the call is not pending: {result:?}");
        let acknowledged = approve(&mut site.client(approver)?, &arguments)?;
        let mut client = site.client(runner)?;
        wait_until(LIMIT, "the approved call succeeds", || {
            client.call("s/add", &arguments) == CallResult::Succeeded
        })?;
        times.push(acknowledged.elapsed());
    }
    Ok(Times::of(times))
}

/// Approves the call, once the replica knows of it. Returns the moment of the acknowledgement.
fn approve(client: &mut ReplicaClient, arguments: &Value) -> anyhow::Result<Instant> {
    let mut id = None;
    wait_until(LIMIT, "the pending call is known elsewhere", || {
        id = pending_id(client, arguments);
        id.is_some()
    })?;
    let path = format!("/api/approvals/{}", id.unwrap_or_default());
    let answer = client.api("POST", &path, Some(&json!({"decision": "approve"})))?;
    ensure!(answer.status == 200, "not approved: {answer:?}");
    Ok(Instant::now())
}
