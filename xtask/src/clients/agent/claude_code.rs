//! Claude Code: uses the Anthropic messages endpoint.

use super::{Agent, ERRAND};
use std::process::Command;

pub(in crate::clients) struct ClaudeCodeAgent;

impl Agent for ClaudeCodeAgent {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn package(&self) -> &'static str {
        "@anthropic-ai/claude-code"
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn errand(&self, command: &mut Command, model: &str) {
        command.args(["--print", ERRAND, "--allowedTools"]);
        command.arg("mcp__toolscout__tool_search,mcp__toolscout__execute_tool");
        command.env("ANTHROPIC_BASE_URL", model).env("ANTHROPIC_API_KEY", "none");
        command
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
    }
}
