//! Claude Code: a file of the person's with servers for everywhere and for single projects, and `.mcp.json`, which we read
//! ourselves.

use super::super::client::{ClientFile, ClientFormat, KeyPath, LaunchCommand, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::{Value, json};

pub(super) struct ClaudeCode;

impl ClientFormat for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let shared = ClientFile { is_native: true, ..ClientFile::project(homes, ".mcp.json") };
        [shared].into_iter().chain(homes.claude(".claude.json").map(ClientFile::user)).collect()
    }

    /// Servers for everywhere, then those of this project only. A project is known by its path.
    fn sections(&self, document: &Value, homes: &ClientFolders) -> Vec<KeyPath> {
        let project = homes.project.to_string_lossy();
        let own = document.get("projects").and_then(|it| it.get(&*project)).is_some();
        let own = own.then(|| section(["projects", &project, "mcpServers"]));
        [section(["mcpServers"])].into_iter().chain(own).collect()
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        entry.call_timeout_ms = fields.duration("timeout", 1.0);
        entry.visibility = (fields.switch("alwaysLoad") == Some(true)).then(|| "listed".to_owned());
        if let Some(mut oauth) = fields.inner("oauth") {
            entry.client_id = oauth.remove("clientId").and_then(|it| Some(it.as_str()?.to_owned()));
        }
        if fields.has("headersHelper") {
            fields.ignore(&["headersHelper"]);
            fields.note("its `headersHelper` is a program that is not run here: give `headers` or `bearer` instead");
        }
        Ok(entry)
    }

    fn own_entry(&self, launch: &LaunchCommand, _: &KeyPath) -> Value {
        json!({"type": "stdio", "command": launch.command, "args": launch.args})
    }
}
