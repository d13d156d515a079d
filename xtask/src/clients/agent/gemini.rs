//! Gemini CLI: uses Google's `generateContent` endpoint.

use super::{Agent, PROMPT};
use crate::clients::server_spec::ServerSpec;
use anyhow::Context;
use serde_json::{Map, json};
use std::fs;
use std::path::Path;
use std::process::Command;

pub(in crate::clients) struct GeminiAgent;

impl Agent for GeminiAgent {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn package(&self) -> &'static str {
        "@google/gemini-cli"
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn file(&self) -> &'static str {
        ".gemini/settings.json"
    }

    fn configuration(&self, servers: &[ServerSpec], _: &str) -> String {
        let entries: Map<_, _> = servers
            .iter()
            .map(|server| {
                let entry = json!({"command": server.command[0], "args": server.command[1..]});
                (server.name.to_owned(), entry)
            })
            .collect();
        let auth = json!({"auth": {"selectedType": "gemini-api-key"}});
        format!("{:#}\n", json!({"security": auth, "mcpServers": entries}))
    }

    /// The CLI starts no server in a folder that it does not trust.
    fn prepare(&self, home: &Path, project: &Path) -> anyhow::Result<()> {
        let project = project.canonicalize()?.display().to_string();
        let trusted = json!({project: "TRUST_FOLDER"}).to_string();
        fs::write(home.join(".gemini/trustedFolders.json"), trusted)
            .context("trust the project in Gemini CLI")
    }

    fn prompt(&self, command: &mut Command, model: &str) {
        command.args([
            "--model",
            "gemini-2.5-flash",
            "--approval-mode",
            "yolo",
            "--prompt",
            PROMPT,
        ]);
        command.env("GEMINI_API_KEY", "none").env("GOOGLE_GEMINI_BASE_URL", model);
    }
}
