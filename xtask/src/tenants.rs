//! Runs many tenants against one `toolscout serve --http`, and searches all of their responses for
//! data of other tenants.
//!
//! Every tenant has a [`canary`]: in the definitions of their tools, in the results, and in their
//! token for an HTTP server. Sessions of both eras share connections, as behind a proxy. The
//! responses of a tenant must contain their canary and no other; each tenant also tries to access
//! data of others, by every name that they could have learned.

mod canary;
mod crowd;
mod house;
#[path = "../../crates/toolscout/tests/it/requests/http_client.rs"]
pub(crate) mod http_client;
mod tally;
mod task;
#[cfg(test)]
mod tests;
#[path = "../../crates/toolscout/tests/it/requests/vault.rs"]
mod vault;

use crate::hostile::build;
use anyhow::{Context, bail, ensure};
use crowd::TenantCrowd;
use house::House;
pub(crate) use house::listening;
use std::path::Path;
use std::time::Instant;
use tally::TenantTally;

/// The size of the campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TenantPlan {
    tenants: usize,
    sessions: usize,
    calls: usize,
    is_debug: bool,
}

/// Arguments are `--tenants N`, `--sessions N`, `--calls N`, and `--debug` for a debug build.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = TenantPlan::parse(words)?;
    let programs = build::programs(plan.is_debug)?;
    println!("{} tenants, {} sessions, {} calls\n", plan.tenants, plan.sessions, plan.calls);
    let begun = Instant::now();
    let tally = visit(&programs.toolscout, &plan, |tenant| tenant)?;
    print!("{}", tally.markdown());
    let took = begun.elapsed().as_secs_f64();
    println!("\n{took:.0} s, {:.0} calls/s", tally.calls() as f64 / took);
    ensure!(
        tally.faults() == 0,
        "{} faults, {} of them canaries of other tenants",
        tally.faults(),
        tally.foreign()
    );
    Ok(())
}

/// Makes all calls of all sessions. `disguise` maps a tenant to the identity it uses: its own,
/// except in the test that leaks are detected.
fn visit(
    toolscout: &Path,
    plan: &TenantPlan,
    disguise: fn(usize) -> usize,
) -> anyhow::Result<TenantTally> {
    let house = House::open(toolscout, plan.tenants)?;
    let mut tally = TenantCrowd::new(&house, plan, disguise)?.go()?;
    tally.look_into(&house.vault.seen(), plan.tenants);
    Ok(tally)
}

impl TenantPlan {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let mut plan = Self { tenants: 64, sessions: 1_000, calls: 100_000, is_debug: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || -> anyhow::Result<usize> {
                let given = words.next().with_context(|| format!("`{word}` needs a number"))?;
                given
                    .parse()
                    .ok()
                    .filter(|value| *value > 0)
                    .with_context(|| format!("`{word}` needs a number, not `{given}`"))
            };
            match word.as_str() {
                "--tenants" => plan.tenants = number()?,
                "--sessions" => plan.sessions = number()?,
                "--calls" => plan.calls = number()?,
                "--debug" => plan.is_debug = true,
                _ => bail!("`{word}` is not an option of `tenants`"),
            }
        }
        ensure!(plan.tenants <= 1_000, "more than 1000 tenants have no names");
        Ok(plan)
    }
}
