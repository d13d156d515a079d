//! The tested agents, and their model settings. One file each.

mod claude_code;
mod codex;
mod gemini;
mod opencode;

use super::server_spec::ServerSpec;
use std::path::Path;
use std::process::Command;

/// All tested agents.
pub(super) const AGENTS: [&dyn Agent; 4] = [
    &claude_code::ClaudeCodeAgent,
    &codex::CodexAgent,
    &opencode::OpenCodeAgent,
    &gemini::GeminiAgent,
];

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

    /// Its configuration file, in the home folder.
    fn file(&self) -> &'static str;

    /// The content of that file: its servers, and the model endpoint if it is configured there.
    fn configuration(&self, servers: &[ServerSpec], model: &str) -> String;

    /// Prepares a run, after toolscout was set up.
    fn prepare(&self, home: &Path, project: &Path) -> anyhow::Result<()> {
        let _ = (home, project);
        Ok(())
    }

    /// Adds the arguments for one run of the prompt, with our two tools allowed without approval.
    fn prompt(&self, command: &mut Command, model: &str);
}
