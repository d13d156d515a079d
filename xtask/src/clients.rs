//! Runs real agents against the product: `toolscout init` sets up four agents with eleven servers,
//! and each agent must find tools, run them, and report the results to the model.
//!
//! The agents are the real programs from npm, pinned in `clients/npm`. The [`model`] is ours and on
//! loopback, so the run is free and does not depend on the choices of a real model.

mod agent;
mod home;
mod install;
mod model;
mod options;
mod stay;
#[cfg(test)]
mod tests;
mod transcript;

use anyhow::ensure;
use options::Options;
use transcript::Transcript;

/// Parses the arguments; see [`Options`].
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(arguments)?;
    let programs = crate::hostile::build::programs(options.is_debug)?;
    let installed = install::Installed::ready()?;
    let mut faults = Vec::new();
    for agent in options.agents {
        eprintln!("{} …", agent.title());
        let visit = visit::AgentRun::pay(agent, &installed, &programs)?;
        let transcript = Transcript::of(&visit);
        println!("{transcript}");
        faults.extend(visit.faults().into_iter().map(|it| format!("{}: {it}", agent.title())));
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}
