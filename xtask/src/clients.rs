//! Has real agents use the product: each is connected by `toolscout connect`, asks a scripted model what to do, and must find
//! a tool, run it, and tell the model what came of it.
//!
//! The agents are the programs that people use, from npm, pinned in `clients/npm`. The [`model`] is ours and on loopback, so
//! nothing of this costs anything or depends on what a real model would feel like.

mod agent;
mod errand;
mod install;
mod model;
mod options;
mod stay;
#[cfg(test)]
mod tests;
mod transcript;
mod visit;

use anyhow::ensure;
use options::Options;
use transcript::Transcript;

/// What the words mean is in [`Options`].
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(words)?;
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
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}
