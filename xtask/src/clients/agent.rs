//! The tested agents, and their model settings. One file each.

mod claude_code;
mod codex;
mod opencode;

use super::stay::AgentHome;
use std::process::Command;

/// All tested agents.
pub(super) const AGENTS: [&dyn Agent; 3] =
    [&claude_code::ClaudeCodeAgent, &codex::CodexAgent, &opencode::OpenCodeAgent];

/// The prompt. The scripted model decides the steps, so any text works.
const PROMPT: &str = "Find out the word of the day";

/// An agent program: it sends requests to a model, and calls the tools of servers.
pub(super) trait Agent: Sync {
    /// Its name in `toolscout init`.
    fn name(&self) -> &'static str;

    fn title(&self) -> &'static str;

    /// Its npm package.
    fn package(&self) -> &'static str;

    /// The name of its executable.
    fn program(&self) -> &'static str;

    /// Configures the model endpoint in the agent's own file, before `connect` edits it.
    fn settle(&self, stay: &AgentHome, model: &str) -> anyhow::Result<()> {
        let _ = (stay, model);
        Ok(())
    }

    /// Adds the arguments for one run of the prompt, with our two tools allowed without approval.
    fn prompt(&self, command: &mut Command, model: &str);
}
