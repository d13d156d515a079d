//! No call is executed twice if replicas are killed under load, and the audit log has every call.

use super::super::checker::{self, AuditedCalls};
use super::super::client::CallResult;
use super::super::load::{Load, LoadPlan, LoadTool};
use super::super::site::{pause, wait_until};
use super::super::table::DemandRow;
use super::super::{DatabaseRoute, FleetCampaign};
use super::Demand;
use std::time::Duration;

pub(super) const DEMAND: Demand =
    Demand { name: "replica-kills", measure: |campaign| measure(campaign, DatabaseRoute::Direct) };

/// The time until the journals of all replicas are in the database.
const SHIPPED: Duration = Duration::from_secs(30);
/// The longest time between a start and the next kill.
const LIFETIME: Duration = Duration::from_millis(400);

pub(super) fn measure(
    campaign: &mut FleetCampaign<'_>,
    route: DatabaseRoute,
) -> anyhow::Result<Vec<DemandRow>> {
    let pooler = campaign.pooler(route)?;
    let mut site = campaign.site(pooler.as_ref())?;
    let load = Load::start(&site, LoadPlan { clients_per_replica: 2, tool: LoadTool::Sleep });
    let kills = campaign.plan.scale.replica_kills;
    for _ in 0..kills {
        pause(campaign.random.within(LIFETIME));
        let victim = campaign.random.below(site.len());
        site.kill(victim)?;
        site.restart(victim)?;
    }
    for replica in 0..site.len() {
        site.wait_until_ready(replica)?;
    }
    // Every replica writes again, and with it the calls that its predecessor did not end.
    pause(LIFETIME);
    let history = load.stop();
    let executed = checker::executions(&site.server_log())?;
    let mut missing = usize::MAX;
    let mut audited = AuditedCalls::default();
    let complete = wait_until(SHIPPED, "all calls are in the audit log", || {
        if let Ok(calls) = AuditedCalls::read(&site, 0) {
            (missing, audited) = (calls.missing(&history, &executed), calls);
        }
        missing == 0
    });
    let lost = history.iter().filter(|item| matches!(item.result, CallResult::Lost(_))).count();
    let repeated = checker::repeated(&executed);
    let invented = checker::invented(&history, &executed);
    let verified = site.run(0, &["audit", "verify"]);
    let is_intact = verified.is_ok();
    let executed = executed.len();
    Ok(vec![
        DemandRow::new(
            "calls executed twice, with replicas killed under load",
            "0",
            format!("{repeated} of {executed} calls, {kills} kills, {lost} requests lost"),
            repeated == 0 && invented == 0,
        ),
        DemandRow::new(
            "executed calls that the audit log lacks after kills",
            "0, and the log is intact",
            format!(
                "{missing}; {} recorded as interrupted; the log is {}",
                audited.interrupted(),
                if is_intact { "intact" } else { "**not intact**" }
            ),
            complete.is_ok() && is_intact,
        ),
    ])
}
