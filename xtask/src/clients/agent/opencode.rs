//! OpenCode: uses any endpoint compatible with OpenAI chat completions.

use super::{Agent, PROMPT};
use crate::clients::server_spec::ServerSpec;
use serde_json::{Map, json};
use std::process::Command;

pub(in crate::clients) struct OpenCodeAgent;

impl Agent for OpenCodeAgent {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn package(&self) -> &'static str {
        "opencode-ai"
    }

    fn program(&self) -> &'static str {
        "opencode"
    }

    fn file(&self) -> &'static str {
        ".config/opencode/opencode.json"
    }

    fn configuration(&self, servers: &[ServerSpec], model: &str) -> String {
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": format!("{model}/v1"), "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted"}},
        });
        let entries: Map<_, _> = servers
            .iter()
            .map(|server| {
                let entry = json!({"type": "local", "command": server.command, "environment": server.env()});
                (server.name.to_owned(), entry)
            })
            .collect();
        let settings = json!({
            "provider": {"scripted": provider},
            "model": "scripted/scripted",
            "share": "disabled",
            "mcp": entries,
        });
        format!("{settings:#}\n")
    }

    fn prompt(&self, command: &mut Command, _: &str) {
        command.args(["run", PROMPT]);
        for switch in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"] {
            command.env(format!("OPENCODE_DISABLE_{switch}"), "1");
        }
    }
}
