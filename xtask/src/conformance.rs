//! Runs the official MCP conformance suite against the product: as a server in front of our own
//! reference server and of a server that uses an official SDK, and as a client of the suite's
//! servers.
//!
//! Expected failures and their reasons are in `expected.yml`. Any other failure is a fault, and so
//! is an expected failure that passes.

mod comparison;
mod dual_server;
mod expected;
mod leg;
mod options;
mod outcome;
mod programs;
mod suite;
mod table;
#[cfg(test)]
mod tests;
mod world;

use anyhow::ensure;
use comparison::Comparison;
use expected::ExpectedFailures;
use leg::Leg;
use options::Options;
use programs::ConformancePrograms;
use suite::Suite;

/// Parses the arguments; see [`Options`].
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(words)?;
    let suite = Suite::find()?;
    let programs = ConformancePrograms::build(options.is_debug)?;
    let faults = hold(&suite, &programs, &options.legs)?;
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Runs all legs, and prints their results; returns the unexpected ones.
fn hold(
    suite: &Suite,
    programs: &ConformancePrograms,
    legs: &[Leg],
) -> anyhow::Result<Vec<String>> {
    let expected = ExpectedFailures::read()?;
    let mut faults = Vec::new();
    println!("{}", table::HEAD);
    let mut ran = Vec::new();
    for leg in legs {
        let outcome = leg.run(suite, programs)?;
        for scenario in &outcome.through {
            println!("{}", table::row(leg, scenario, &expected));
        }
        println!("{}", table::sum(leg, &outcome.through));
        faults.extend(expected.judge(leg, &outcome.through));
        faults.extend(comparison::faults(leg, &outcome));
        ran.push((leg, outcome));
    }
    let mut comparison = Comparison::default();
    ran.iter().for_each(|(leg, outcome)| comparison.add(leg, outcome));
    if let Some(table) = comparison.table() {
        println!("\n{table}");
    }
    Ok(faults)
}
