//! Codex: uses the OpenAI responses endpoint, and groups each server's tools in a namespace.

use super::{Agent, PROMPT};
use crate::clients::server_spec::ServerSpec;
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

    fn file(&self) -> &'static str {
        ".codex/config.toml"
    }

    fn configuration(&self, servers: &[ServerSpec], model: &str) -> String {
        let mut text = format!(
            "# Settings from before toolscout.\n\
             model = \"scripted\"\nmodel_provider = \"scripted\"\n\n\
             [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n"
        );
        for server in servers {
            let [program, args @ ..] = &server.command[..] else { continue };
            let (program, args) =
                (toml::Value::from(program.as_str()), toml::Value::from(args.to_vec()));
            text +=
                &format!("\n[mcp_servers.{}]\ncommand = {program}\nargs = {args}\n", server.name);
        }
        text
    }

    fn prompt(&self, command: &mut Command, _: &str) {
        command.args(["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", PROMPT]);
    }
}
