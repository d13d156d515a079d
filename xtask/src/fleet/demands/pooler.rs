//! The demands that depend most on the database, through PgBouncer in transaction mode.

use super::super::table::DemandRow;
use super::super::{DatabaseRoute, FleetCampaign};
use super::{Demand, approvals, discovery, replica_kills};

pub(super) const DEMAND: Demand = Demand { name: "pooler", measure };

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    if campaign.pooler(DatabaseRoute::Pooled).is_err() {
        return Ok(vec![DemandRow::skipped("through PgBouncer", "as above", "PgBouncer")]);
    }
    let mut rows = Vec::new();
    for measure in [replica_kills::measure, approvals::measure, discovery::measure] {
        rows.extend(measure(campaign, DatabaseRoute::Pooled)?);
    }
    for row in &mut rows {
        row.demand = format!("through PgBouncer: {}", row.demand);
    }
    Ok(rows)
}
