//! Runs the official MCP conformance suite against the product: as a server in front of a reference server of our own, and
//! as a client of the servers that the suite plays.
//!
//! What of it is expected not to pass, and why, is in `expected.yml`. Anything else that does not pass is a fault, and so is
//! an expectation that no longer holds.

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
use expected::ExpectedFailures;
use leg::Leg;
use options::Options;
use programs::ConformancePrograms;
use suite::Suite;

/// What the words mean is in [`Options`].
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(words)?;
    let suite = Suite::find()?;
    let programs = ConformancePrograms::build(options.is_debug)?;
    let faults = hold(&suite, &programs, &options.legs)?;
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Goes through all of them, and prints how each went; gives what is not as expected.
fn hold(suite: &Suite, programs: &ConformancePrograms, legs: &[Leg]) -> anyhow::Result<Vec<String>> {
    let expected = ExpectedFailures::read()?;
    let mut faults = Vec::new();
    println!("{}", table::HEAD);
    for leg in legs {
        let outcomes = leg.run(suite, programs)?;
        for outcome in &outcomes {
            println!("{}", table::row(leg, outcome, &expected));
        }
        println!("{}", table::sum(leg, &outcomes));
        faults.extend(expected.judge(leg, &outcomes));
    }
    Ok(faults)
}
