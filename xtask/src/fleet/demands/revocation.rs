//! After a revocation is acknowledged, no replica admits the token.

use super::super::FleetCampaign;
use super::super::client::ReplicaClient;
use super::super::site::{FleetSite, pause, wait_until};
use super::super::table::{DemandRow, Times, millis};
use super::Demand;
use anyhow::{Context, ensure};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const DEMAND: Demand = Demand { name: "revocation", measure };

/// How long clients try the token after the acknowledgement.
const AFTER: Duration = Duration::from_millis(800);
const LIMIT: Duration = Duration::from_secs(10);

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let site = campaign.site(None)?;
    Ok(vec![row(&site, campaign.plan.scale.samples, "")?])
}

/// The row of the table.
pub(super) fn row(site: &FleetSite, samples: usize, condition: &str) -> anyhow::Result<DemandRow> {
    let (mut late, mut tries) = (Vec::new(), 0);
    for sample in 0..samples {
        let attempts = revoke(site, sample)?;
        tries += attempts.len();
        let admitted = attempts.iter().filter(|attempt| attempt.is_admitted);
        late.extend(admitted.map(|attempt| attempt.after));
    }
    let count = late.len();
    let latest = Times::of(late).max();
    let when = if count > 0 { format!(", up to {} later", millis(latest)) } else { String::new() };
    Ok(DemandRow::new(
        format!("requests admitted after the acknowledged revocation of their token{condition}"),
        "0",
        format!("{count} of {tries}, {samples} revocations{when}"),
        count == 0 && tries > 0,
    ))
}

/// A request that began after the acknowledgement.
struct Attempt {
    after: Duration,
    is_admitted: bool,
}

/// Revokes a token at one replica while it is in use at all of them.
fn revoke(site: &FleetSite, sample: usize) -> anyhow::Result<Vec<Attempt>> {
    let (name, count) = (format!("revoked-{sample}"), site.len());
    let answer =
        site.client(sample % count)?.api("POST", "/api/tokens", Some(&json!({"name": name})))?;
    let token = answer.body["value"].as_str();
    let token = token.with_context(|| format!("no token: {answer:?}"))?.to_owned();
    for replica in 0..count {
        let mut client = ReplicaClient::connect(site.addresses.of(replica), &token)?;
        wait_until(LIMIT, "the token is accepted", || client.is_admitted().unwrap_or_default())?;
    }
    let is_done = AtomicBool::new(false);
    let mut revoker = site.client((sample + 1) % count)?;
    thread::scope(|scope| {
        let users: Vec<_> = (0..count)
            .map(|replica| {
                let (token, is_done) = (&token, &is_done);
                let mut client = ReplicaClient::connect(site.addresses.of(replica), token);
                scope.spawn(move || {
                    let mut attempts = Vec::new();
                    while !is_done.load(Ordering::Relaxed) {
                        let begun = Instant::now();
                        let Ok(client) = &mut client else { break };
                        if let Ok(is_admitted) = client.is_admitted() {
                            attempts.push((begun, is_admitted));
                        } else if let Ok(again) =
                            ReplicaClient::connect(site.addresses.of(replica), token)
                        {
                            *client = again;
                        }
                    }
                    attempts
                })
            })
            .collect();
        let answer = revoker.api("DELETE", &format!("/api/tokens/{name}"), None);
        let acknowledged = Instant::now();
        pause(AFTER);
        is_done.store(true, Ordering::Relaxed);
        let attempts = users.into_iter().flat_map(|user| user.join().unwrap_or_default());
        let attempts = attempts.filter_map(|(begun, is_admitted)| {
            let after = begun.checked_duration_since(acknowledged)?;
            Some(Attempt { after, is_admitted })
        });
        let attempts = attempts.collect();
        let answer = answer?;
        ensure!(answer.status < 300, "not revoked: {answer:?}");
        Ok(attempts)
    })
}
