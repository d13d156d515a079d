//! VS Code: `servers` beside `inputs`, which it asks the person for, in comments-allowed JSON.

use super::super::client::{ClientFile, ClientFormat, KeyPath, LaunchCommand, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::{Value, json};

pub(super) struct VsCode;

const USER: [&str; 3] = ["Code/User/mcp.json", "Code - Insiders/User/mcp.json", "VSCodium/User/mcp.json"];

impl ClientFormat for VsCode {
    fn name(&self) -> &'static str {
        "vscode"
    }

    fn title(&self) -> &'static str {
        "VS Code"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".vscode/mcp.json");
        let user = homes.apps(&USER).chain(homes.copilot("mcp-config.json"));
        [own].into_iter().chain(user.map(ClientFile::user)).collect()
    }

    /// The file it shares with other programs has their key.
    fn sections(&self, document: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        let shared = document.get("servers").is_none() && document.get("mcpServers").is_some();
        vec![section([if shared { "mcpServers" } else { "servers" }])]
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let entry = usual::entry(fields, BareUrl::Http)?;
        // Where it came from in the gallery, and how to debug it.
        fields.ignore(&["gallery", "version", "dev"]);
        Ok(entry)
    }

    fn own_entry(&self, launch: &LaunchCommand, _: &KeyPath) -> Value {
        json!({"type": "stdio", "command": launch.command, "args": launch.args})
    }
}
