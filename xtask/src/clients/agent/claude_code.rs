//! Claude Code: uses the Anthropic messages endpoint.

use super::{Agent, PROMPT};
use crate::clients::server_spec::ServerSpec;
use serde_json::{Map, json};
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

    fn file(&self) -> &'static str {
        ".claude.json"
    }

    fn configuration(&self, servers: &[ServerSpec], _: &str) -> String {
        let entries: Map<_, _> = servers
            .iter()
            .map(|server| {
                let (program, args) = (&server.command[0], &server.command[1..]);
                let entry =
                    json!({"type": "stdio", "command": program, "args": args, "env": server.env()});
                (server.name.to_owned(), entry)
            })
            .collect();
        format!("{:#}\n", json!({"hasCompletedOnboarding": true, "mcpServers": entries}))
    }

    fn prompt(&self, command: &mut Command, model: &str) {
        command.args(["--print", PROMPT, "--allowedTools"]);
        command.arg("mcp__toolscout__tool_search,mcp__toolscout__execute_tool");
        command.env("ANTHROPIC_BASE_URL", model).env("ANTHROPIC_API_KEY", "none");
        command
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
    }
}
