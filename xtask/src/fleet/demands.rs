//! The demands on a fleet, one file each.

mod approvals;
mod black_hole;
mod clocks;
mod costs;
mod database_kills;
mod discovery;
mod outage;
mod pooler;
mod replica_kills;
mod revocation;
mod sessions;

use super::FleetCampaign;
use super::table::DemandRow;

/// A demand, and how it is measured.
pub(super) struct Demand {
    /// The name for `--demand`.
    pub(super) name: &'static str,
    pub(super) measure: fn(&mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>>,
}

/// All demands, in the order of the table.
pub(super) const DEMANDS: [Demand; 11] = [
    replica_kills::DEMAND,
    database_kills::DEMAND,
    approvals::DEMAND,
    outage::DEMAND,
    black_hole::DEMAND,
    sessions::DEMAND,
    discovery::DEMAND,
    pooler::DEMAND,
    revocation::DEMAND,
    clocks::DEMAND,
    costs::DEMAND,
];
