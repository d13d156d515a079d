//! Which agents to run: all of them, or the named ones.

use super::agent::{AGENTS, Agent};
use anyhow::Context;

pub(super) struct Options {
    pub(super) agents: Vec<&'static dyn Agent>,
    pub(super) is_debug: bool,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let is_debug = arguments.iter().any(|word| word == "--debug");
        let named = arguments.iter().filter(|word| *word != "--debug");
        let mut agents = named.map(|value| agent(value)).collect::<anyhow::Result<Vec<_>>>()?;
        if agents.is_empty() {
            agents = AGENTS.to_vec();
        }
        Ok(Self { agents, is_debug })
    }
}

fn agent(name: &str) -> anyhow::Result<&'static dyn Agent> {
    let all = || AGENTS.map(Agent::name).join(", ");
    let found = AGENTS.into_iter().find(|agent| agent.name() == name);
    found.with_context(|| format!("`{name}` is not a known agent; choose from {}", all()))
}
