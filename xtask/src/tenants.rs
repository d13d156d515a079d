//! Has many tenants use one `toolscout serve --http` at once, and looks for what is another's in everything they get.
//!
//! Every tenant has a [`canary`]: in the definitions of their tools, in what those say, and in their token for a server on the
//! web. Sessions of both eras share connections, as they do behind a proxy. What a tenant gets must hold their canary and no
//! other; and each of them also tries to get at what others have, by every name that they could have learned.

mod canary;
mod crowd;
mod errand;
mod house;
mod tally;
#[cfg(test)]
mod tests;
#[path = "../../crates/toolscout/tests/it/requests/vault.rs"]
mod vault;
#[path = "../../crates/toolscout/tests/it/requests/visitor.rs"]
mod visitor;

use crate::hostile::build;
use anyhow::{Context, bail, ensure};
use crowd::TenantCrowd;
use house::House;
use std::path::Path;
use std::time::Instant;
use tally::TenantTally;

/// How many of everything.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TenantPlan {
    tenants: usize,
    sessions: usize,
    calls: usize,
    is_debug: bool,
}

/// Words are `--tenants N`, `--sessions N`, `--calls N`, and `--debug` for a build that is quick to make.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = TenantPlan::parse(words)?;
    let programs = build::programs(plan.is_debug)?;
    println!("{} tenants, {} sessions, {} calls\n", plan.tenants, plan.sessions, plan.calls);
    let begun = Instant::now();
    let tally = visit(&programs.toolscout, &plan, |tenant| tenant)?;
    print!("{}", tally.markdown());
    let took = begun.elapsed().as_secs_f64();
    println!("\n{took:.0} s, {:.0} calls/s", tally.calls() as f64 / took);
    ensure!(tally.faults() == 0, "{} faults, {} of them foreign canaries", tally.faults(), tally.foreign());
    Ok(())
}

/// All calls of all sessions. `disguise` says as whom a tenant comes: as themselves, except to prove that we would notice.
fn visit(toolscout: &Path, plan: &TenantPlan, disguise: fn(usize) -> usize) -> anyhow::Result<TenantTally> {
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
                    .filter(|it| *it > 0)
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
