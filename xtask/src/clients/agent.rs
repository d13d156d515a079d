//! The agents that come, and what each has to be told about the model. One file each.

mod claude_code;
mod codex;
mod opencode;

use super::stay::AgentHome;
use std::process::Command;

/// All that come.
pub(super) const AGENTS: [&dyn Agent; 3] =
    [&claude_code::ClaudeCodeAgent, &codex::CodexAgent, &opencode::OpenCodeAgent];

/// What they are to do. The model decides what that means, so any words will do.
const ERRAND: &str = "Find out the word of the day";

/// A program that people talk to; it asks a model what to do, and has servers do it.
pub(super) trait Agent: Sync {
    /// As `toolscout connect` knows it.
    fn name(&self) -> &'static str;

    fn title(&self) -> &'static str;

    /// What npm calls it.
    fn package(&self) -> &'static str;

    /// What it is started as.
    fn program(&self) -> &'static str;

    /// Tells it where the model is, in its own file; before `connect` writes there, too.
    fn settle(&self, stay: &AgentHome, model: &str) -> anyhow::Result<()> {
        let _ = (stay, model);
        Ok(())
    }

    /// Makes the command do the errand and nothing else, and ask nobody for leave to use our two tools.
    fn errand(&self, command: &mut Command, model: &str);
}
