//! Clocks that differ by ten minutes change nothing.

use super::super::site::{FleetSite, SiteOptions, clock_library};
use super::super::table::DemandRow;
use super::super::{DatabaseRoute, FleetCampaign};
use super::{Demand, approvals, revocation};
use anyhow::{Context, ensure};
use serde_json::json;

pub(super) const DEMAND: Demand = Demand { name: "clocks", measure };

/// Seconds that the clocks are ahead of that of the database.
const OFFSETS: [i64; 3] = [300, -300, 0];
const CONDITION: &str = ", clocks ±5 minutes";

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    if clock_library().is_none() {
        return Ok(vec![DemandRow::skipped("clocks ±5 minutes", "as above", "faketime")]);
    }
    let site = campaign.site_with(SiteOptions {
        database: Some(campaign.database(None)),
        replicas: campaign.plan.replicas,
        clock_offsets: OFFSETS.to_vec(),
        ..SiteOptions::default()
    })?;
    ensure_shifted(campaign, &site)?;
    let samples = campaign.plan.scale.samples;
    let times = approvals::latencies(&site, samples)?;
    let quarantined = site.client(0)?.api("GET", "/api/reviews", None)?.body;
    let quarantined = quarantined["reviews"].as_array().map_or(0, Vec::len);
    Ok(vec![
        approvals::row(campaign, &times, DatabaseRoute::Direct, CONDITION),
        revocation::row(&site, samples, CONDITION)?,
        DemandRow::new(
            format!("quarantined tools{CONDITION}"),
            "0",
            quarantined.to_string(),
            quarantined == 0,
        ),
    ])
}

/// A token has the time of the replica that created it.
fn ensure_shifted(campaign: &FleetCampaign<'_>, site: &FleetSite) -> anyhow::Result<()> {
    let answer = site.client(0)?.api("POST", "/api/tokens", Some(&json!({"name": "clock"})))?;
    let created = answer.body["token"]["created"].as_str();
    let created = created.with_context(|| format!("no time: {answer:?}"))?;
    let ahead = format!("SELECT extract(epoch FROM timestamptz '{created}' - now())::int");
    let ahead: i64 = campaign.postgres.sql("postgres", &ahead).parse()?;
    ensure!((ahead - OFFSETS[0]).abs() < 60, "the clock is {ahead} s ahead");
    Ok(())
}
