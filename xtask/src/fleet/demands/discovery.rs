//! Replicas that start at once discover servers that none of them knows once per fleet.

use super::super::site::{FleetSite, SiteOptions, wait_until};
use super::super::table::DemandRow;
use super::super::{DatabaseRoute, FleetCampaign};
use super::Demand;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

pub(super) const DEMAND: Demand =
    Demand { name: "discovery", measure: |campaign| measure(campaign, DatabaseRoute::Direct) };

const LIMIT: Duration = Duration::from_secs(120);

pub(super) fn measure(
    campaign: &mut FleetCampaign<'_>,
    route: DatabaseRoute,
) -> anyhow::Result<Vec<DemandRow>> {
    let pooler = campaign.pooler(route)?;
    let servers = campaign.plan.scale.unknown_servers;
    let names: Vec<String> = (0..servers).map(|number| format!("new{number:02}")).collect();
    let site = campaign.site_with(SiteOptions {
        database: Some(campaign.database(pooler.as_ref())),
        replicas: campaign.plan.replicas,
        unknown_servers: names.clone(),
        ..SiteOptions::default()
    })?;
    wait_until(LIMIT, "every replica has the tools of all servers", || {
        (0..site.len()).all(|replica| has_all(&site, replica, &names))
    })?;
    let log = fs::read_to_string(site.folder().join("starts.log")).unwrap_or_default();
    let mut starts: BTreeMap<&str, usize> = BTreeMap::new();
    log.lines().for_each(|name| *starts.entry(name).or_default() += 1);
    let discoveries: usize = starts.values().sum();
    Ok(vec![DemandRow::new(
        format!("{} replicas start at once with {servers} unknown servers", site.len()),
        format!("{servers} discoveries"),
        format!("{discoveries}, of {} servers", starts.len()),
        discoveries == servers && starts.len() == servers,
    )])
}

/// Whether the replica lists tools of all these servers.
fn has_all(site: &FleetSite, replica: usize, names: &[String]) -> bool {
    let answer =
        site.client(replica).and_then(|mut client| Ok(client.api("GET", "/api/servers", None)?));
    let Ok(answer) = answer else { return false };
    let servers = answer.body["servers"].as_array().cloned().unwrap_or_default();
    names.iter().all(|name| {
        let server = servers.iter().find(|server| server["id"] == name.as_str());
        server.is_some_and(|server| server["toolCount"].as_u64().is_some_and(|tools| tools > 0))
    })
}
