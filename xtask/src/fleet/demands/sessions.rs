//! The session of a legacy client continues on other replicas after its own was killed.

use super::super::FleetCampaign;
use super::super::client::CallResult;
use super::super::table::{DemandRow, Times, millis};
use super::Demand;
use serde_json::json;
use std::time::Instant;

pub(super) const DEMAND: Demand = Demand { name: "sessions", measure };

/// Sessions that are lost with each killed replica.
const SESSIONS: usize = 5;

fn measure(campaign: &mut FleetCampaign<'_>) -> anyhow::Result<Vec<DemandRow>> {
    let mut site = campaign.site(None)?;
    let arguments = json!({"text": "hi"});
    let (mut continued, mut total) = (0, 0);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    while total < campaign.plan.scale.samples {
        let victim = campaign.random.below(site.len());
        let mut sessions = Vec::new();
        for _ in 0..SESSIONS {
            let mut client = site.client(victim)?;
            let session = client.open_session()?;
            client.call_in_session(&session, "s/echo", &arguments);
            let begun = Instant::now();
            client.call_in_session(&session, "s/echo", &arguments);
            before.push(begun.elapsed());
            sessions.push(session);
        }
        let others: Vec<_> = (0..site.len()).filter(|replica| *replica != victim).collect();
        // A server starts with its first call; that is not part of the session.
        for replica in &others {
            site.client(*replica)?.call("s/echo", &arguments);
        }
        site.kill(victim)?;
        for session in &sessions {
            let mut client = site.client(campaign.random.one_of(&others))?;
            let begun = Instant::now();
            let result = client.call_in_session(session, "s/echo", &arguments);
            after.push(begun.elapsed());
            continued += usize::from(result == CallResult::Succeeded);
            total += 1;
        }
        site.restart(victim)?;
        site.wait_until_ready(victim)?;
    }
    let (before, after) = (Times::of(before), Times::of(after));
    Ok(vec![DemandRow::new(
        "legacy sessions that continue without `initialize` after their replica was killed",
        "100 %",
        format!(
            "{continued} of {total}; first call p50 {}, before {}",
            millis(after.percentile(50)),
            millis(before.percentile(50))
        ),
        continued == total,
    )])
}
