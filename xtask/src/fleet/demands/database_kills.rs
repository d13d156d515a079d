//! No acknowledged decision is lost if PostgreSQL is killed or stopped immediately.

use super::super::FleetCampaign;
use super::super::client::{CallResult, ReplicaClient};
use super::super::site::{FleetSite, SiteOptions, pause, wait_until};
use super::super::table::DemandRow;
use super::Demand;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

pub(super) const DEMAND: Demand = Demand { name: "database-kills", measure };

/// The longest time between two kills.
const LIFETIME: Duration = Duration::from_millis(500);
/// The time until a replica that is ready has read all rows.
const CURRENT: Duration = Duration::from_secs(2);

/// A decision that a replica has acknowledged.
#[derive(Debug)]
enum Acknowledged {
    Created(String),
    Revoked(String),
    /// A pending approval, by its id, and whether it was approved.
    Decided(String, bool),
}

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let url = campaign.database(None);
    let name = url.rsplit('/').next().and_then(|path| path.split('?').next());
    let name = name.context("a database")?.to_owned();
    let site = campaign.site_with(SiteOptions {
        database: Some(url),
        replicas: campaign.plan.replicas,
        ..Default::default()
    })?;
    let kills = campaign.plan.scale.database_kills;
    let (mut acknowledged, mut lost) = (0, 0);
    for round in 0..kills {
        let is_stopped = AtomicBool::new(false);
        let lifetime = LIFETIME / 5 + campaign.random.within(LIFETIME);
        let decisions: Vec<Acknowledged> = thread::scope(|scope| {
            let deciders: Vec<_> = (0..site.len())
                .map(|replica| {
                    let (addresses, token) = (&site.addresses, &site.operator);
                    let (number, is_stopped) = (round * site.len() + replica, &is_stopped);
                    scope.spawn(move || {
                        let mut client = ReplicaClient::connect(addresses.of(replica), token)?;
                        anyhow::Ok(decide(&mut client, number, is_stopped))
                    })
                })
                .collect();
            pause(lifetime);
            if campaign.random.percent(50) {
                campaign.postgres.kill();
            } else {
                campaign.postgres.stop_immediately();
            }
            is_stopped.store(true, Ordering::Relaxed);
            let decisions = deciders.into_iter().map(|decider| decider.join().expect("no panic"));
            anyhow::Ok(decisions.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })?;
        campaign.postgres.resume();
        (0..site.len()).try_for_each(|replica| site.wait_until_ready(replica))?;
        let tokens =
            "SELECT key FROM toolscout.record WHERE namespace = 'token' AND value IS NOT NULL";
        let tokens = campaign.postgres.sql(&name, tokens);
        let tokens: HashSet<&str> = tokens.lines().collect();
        let reader = campaign.random.below(site.len());
        let mut known = HashSet::new();
        // The replica may not have read the latest rows yet.
        let _ = wait_until(CURRENT, "the replica has all approvals", || {
            known = approvals(&site, reader).unwrap_or_default();
            decisions.iter().all(|decision| decision.holds(&tokens, &known))
        });
        remove_tokens(&mut site.client(reader)?, &decisions)?;
        acknowledged += decisions.len();
        for decision in decisions.iter().filter(|decision| !decision.holds(&tokens, &known)) {
            eprintln!("round {round}: lost: {decision:?}");
            lost += 1;
        }
    }
    let intact = site.run(0, &["audit", "verify"]).is_ok();
    Ok(vec![DemandRow::new(
        "acknowledged decisions lost, with PostgreSQL killed or stopped immediately",
        "0",
        format!(
            "{lost} of {acknowledged}, {kills} kills; the audit log is {}",
            if intact { "intact" } else { "**not intact**" }
        ),
        lost == 0 && acknowledged > 0 && intact,
    )])
}

/// Creates and revokes tokens, and approves and rejects calls, until the database fails. The number
/// is part of all names.
fn decide(client: &mut ReplicaClient, number: usize, is_stopped: &AtomicBool) -> Vec<Acknowledged> {
    let mut all = Vec::new();
    for turn in 0.. {
        if is_stopped.load(Ordering::Relaxed) {
            break;
        }
        let token = format!("token-{number}-{turn}");
        let mut is_done = |method: &str, path: &str, body: Option<Value>| {
            client.api(method, path, body.as_ref()).is_ok_and(|answer| answer.status < 300)
        };
        if !is_done("POST", "/api/tokens", Some(json!({"name": token}))) {
            continue;
        }
        // An unacknowledged revocation may have happened or not.
        if turn % 2 == 0 {
            all.push(Acknowledged::Created(token));
        } else if is_done("DELETE", &format!("/api/tokens/{token}"), None) {
            all.push(Acknowledged::Revoked(token));
        }
        all.extend(decide_call(client, number, turn));
    }
    all
}

fn decide_call(client: &mut ReplicaClient, number: usize, turn: usize) -> Option<Acknowledged> {
    let arguments = json!({"a": number, "b": turn});
    if client.call("s/add", &arguments) != CallResult::Pending {
        return None;
    }
    let id = pending_id(client, &arguments)?;
    let is_approved = turn.is_multiple_of(2);
    let decision = json!({"decision": if is_approved { "approve" } else { "reject" }});
    let answer = client.api("POST", &format!("/api/approvals/{id}"), Some(&decision)).ok()?;
    (answer.status < 300).then_some(Acknowledged::Decided(id, is_approved))
}

/// The id of the pending approval of a call with these arguments.
pub(super) fn pending_id(client: &mut ReplicaClient, arguments: &Value) -> Option<String> {
    let answer = client.api("GET", "/api/approvals", None).ok()?;
    let approvals = answer.body["approvals"].as_array()?;
    let approval = approvals.iter().find(|approval| &approval["arguments"] == arguments)?;
    Some(approval["id"].as_str()?.to_owned())
}

/// The number of tokens is limited.
fn remove_tokens(client: &mut ReplicaClient, decisions: &[Acknowledged]) -> anyhow::Result<()> {
    for decision in decisions {
        if let Acknowledged::Created(name) = decision {
            client.api("DELETE", &format!("/api/tokens/{name}"), None)?;
        }
    }
    Ok(())
}

/// All decided approvals: the id, and whether it was approved.
fn approvals(site: &FleetSite, replica: usize) -> anyhow::Result<HashSet<(String, bool)>> {
    let answer = site.client(replica)?.api("GET", "/api/approvals?decided=true", None)?;
    let approvals = answer.body["approvals"].as_array();
    let approvals = approvals.with_context(|| format!("no approvals: {answer:?}"))?;
    let decided = |approval: &Value| {
        Some((approval["id"].as_str()?.to_owned(), approval["approved"].as_bool()?))
    };
    Ok(approvals.iter().filter_map(decided).collect())
}

impl Acknowledged {
    fn holds(&self, tokens: &HashSet<&str>, approvals: &HashSet<(String, bool)>) -> bool {
        match self {
            Self::Created(name) => tokens.contains(name.as_str()),
            Self::Revoked(name) => !tokens.contains(name.as_str()),
            Self::Decided(id, is_approved) => approvals.contains(&(id.clone(), *is_approved)),
        }
    }
}
