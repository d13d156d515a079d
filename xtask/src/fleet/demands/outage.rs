//! While PostgreSQL is away, allowed calls and searches go on, and the audit log is complete after.

use super::super::FleetCampaign;
use super::super::checker::{self, AuditedCalls};
use super::super::load::{Load, LoadPlan, LoadTool};
use super::super::site::{pause, wait_until};
use super::super::table::{DemandRow, millis};
use super::Demand;
use std::time::{Duration, Instant};

pub(super) const DEMAND: Demand = Demand { name: "outage", measure };

/// Some load before and after the outage.
const AROUND: Duration = Duration::from_millis(500);
/// The time to catch up.
const CAUGHT_UP: Duration = Duration::from_secs(2);
const SHIPPED: Duration = Duration::from_secs(60);

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let site = campaign.site(None)?;
    let load = Load::start(&site, LoadPlan { clients_per_replica: 2, tool: LoadTool::Echo });
    pause(AROUND);
    campaign.postgres.kill();
    pause(campaign.plan.scale.outage);
    campaign.postgres.resume();
    let accepts = Instant::now();
    (0..site.len()).try_for_each(|replica| site.wait_until_ready(replica))?;
    let caught_up = accepts.elapsed();
    pause(AROUND);
    let history = load.stop();
    let (failed, first) = checker::failures(&history);
    let executed = checker::executions(&site.server_log())?;
    let mut missing = usize::MAX;
    let complete = wait_until(SHIPPED, "all calls are in the audit log", || {
        let calls = AuditedCalls::read(&site, 0);
        missing = calls.map_or(usize::MAX, |calls| calls.missing(&history, &executed));
        missing == 0
    });
    let is_intact = site.run(0, &["audit", "verify"]).is_ok();
    let outage = campaign.plan.scale.outage.as_secs();
    let requests = history.len();
    let first = first.map(|result| format!("; the first: {result:?}")).unwrap_or_default();
    Ok(vec![
        DemandRow::new(
            format!("allowed calls and searches failed, with PostgreSQL away for {outage} s"),
            "0",
            format!("{failed} of {requests}{first}"),
            failed == 0,
        ),
        DemandRow::new(
            "all replicas are ready again after PostgreSQL accepts connections",
            format!("{} s", CAUGHT_UP.as_secs()),
            millis(caught_up),
            caught_up <= CAUGHT_UP * campaign.plan.scale.slack,
        ),
        DemandRow::new(
            "calls of the outage that the audit log lacks",
            "0, and the log is intact",
            format!(
                "{missing}; the log is {}",
                if is_intact { "intact" } else { "**not intact**" }
            ),
            complete.is_ok() && is_intact,
        ),
    ])
}
