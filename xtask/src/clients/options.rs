//! Which agents to run: all of them, or the named ones.

use super::agent::{AGENTS, Agent};
use anyhow::Context;

pub(super) struct Options {
    pub(super) agents: Vec<&'static dyn Agent>,
    pub(super) is_debug: bool,
}

impl Options {
    pub(super) fn parse(words: &[String]) -> anyhow::Result<Self> {
        let is_debug = words.iter().any(|it| it == "--debug");
        let named = words.iter().filter(|it| *it != "--debug");
        let mut agents = named.map(|it| agent(it)).collect::<anyhow::Result<Vec<_>>>()?;
        if agents.is_empty() {
            agents = AGENTS.to_vec();
        }
        Ok(Self { agents, is_debug })
    }
}

fn agent(name: &str) -> anyhow::Result<&'static dyn Agent> {
    let known = || AGENTS.map(Agent::name).join(", ");
    let found = AGENTS.into_iter().find(|it| it.name() == name);
    found.with_context(|| format!("`{name}` is no agent that comes here; there are {}", known()))
}
