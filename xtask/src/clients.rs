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
mod run;
mod script;
mod server_spec;
#[cfg(test)]
mod tests;
mod transcript;

use anyhow::ensure;
use home::AgentHome;
use model::Model;
use options::Options;
use run::AgentRun;
use std::time::{SystemTime, UNIX_EPOCH};
use transcript::Transcript;

/// Parses the arguments; see [`Options`].
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(arguments)?;
    let programs = crate::hostile::build::programs(options.is_debug)?;
    let installed = install::Installed::ready()?;
    let word = word();
    let model = Model::begin(script::steps(&word))?;
    let home = AgentHome::create(&programs, &word, &model.url())?;
    println!("{}", Transcript::of_setup(&set_up(&home)?));
    let mut problems = Vec::new();
    for agent in options.agents {
        eprintln!("{} …", agent.title());
        let run = AgentRun::start(agent, &installed.program(agent), &home, &model)?;
        println!("{}", Transcript::of(&run));
        let named = |problem| format!("{}: {problem}", agent.title());
        problems.extend(run.problems().into_iter().map(named));
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

/// Sets toolscout up, takes that back, and sets it up again; returns the output of each command.
/// `undo` must restore the files of all agents byte for byte.
fn set_up(home: &AgentHome) -> anyhow::Result<Vec<(&'static str, String)>> {
    let before = home.files()?;
    let init = home.toolscout(&["init", "--yes"])?;
    ensure!(home.files()? != before, "init changed no file: {init}");
    let undo = home.toolscout(&["undo"])?;
    ensure!(home.files()? == before, "undo did not restore all files: {undo}");
    home.toolscout(&["init", "--yes"])?;
    Ok(vec![("init --yes", init), ("undo", undo)])
}

/// A word that cannot be guessed.
fn word() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("quokka-{:06x}", now.subsec_nanos() ^ std::process::id())
}
