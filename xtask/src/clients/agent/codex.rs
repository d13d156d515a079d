//! Codex: uses the OpenAI responses endpoint, and groups each server's tools in a namespace.

use super::{Agent, AgentHome, ERRAND};
use anyhow::Context;
use std::fs;
use std::process::Command;

pub(in crate::clients) struct CodexAgent;

impl Agent for CodexAgent {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn package(&self) -> &'static str {
        "@openai/codex"
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn settle(&self, stay: &AgentHome, model: &str) -> anyhow::Result<()> {
        let folder = stay.home().join(".codex");
        fs::create_dir_all(&folder)?;
        let settings = format!(
            "# What was here before `toolscout connect` came.\n\
             model = \"scripted\"\nmodel_provider = \"scripted\"\n\n\
             [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n"
        );
        fs::write(folder.join("config.toml"), settings).context("write Codex's settings")
    }

    fn prompt(&self, command: &mut Command, _: &str) {
        command.args(["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", PROMPT]);
    }
}
