//! OpenCode: uses any endpoint compatible with OpenAI chat completions.

use super::{Agent, AgentHome, ERRAND};
use anyhow::Context;
use serde_json::json;
use std::fs;
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

    fn settle(&self, stay: &AgentHome, model: &str) -> anyhow::Result<()> {
        let folder = stay.home().join(".config/opencode");
        fs::create_dir_all(&folder)?;
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": format!("{model}/v1"), "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted"}},
        });
        let settings = json!({"provider": {"scripted": provider}, "model": "scripted/scripted", "share": "disabled"});
        fs::write(folder.join("opencode.json"), format!("{settings:#}\n"))
            .context("write OpenCode's settings")
    }

    fn prompt(&self, command: &mut Command, _: &str) {
        command.args(["run", PROMPT]);
        for switch in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"] {
            command.env(format!("OPENCODE_DISABLE_{switch}"), "1");
        }
    }
}
