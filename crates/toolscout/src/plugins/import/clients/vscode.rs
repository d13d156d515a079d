//! VS Code: `servers` beside `inputs`, which it asks the person for, in comments-allowed JSON.

use super::super::client::{Client, ClientFile, Launch, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::{Value, json};

pub(super) struct VsCode;

const USER: [&str; 3] = ["Code/User/mcp.json", "Code - Insiders/User/mcp.json", "VSCodium/User/mcp.json"];

impl Client for VsCode {
    fn name(&self) -> &'static str {
        "vscode"
    }

    fn title(&self) -> &'static str {
        "VS Code"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".vscode/mcp.json");
        let user = homes.apps(&USER).chain(homes.copilot("mcp-config.json"));
        [own].into_iter().chain(user.map(ClientFile::user)).collect()
    }

    /// The file it shares with other programs has their key.
    fn sections(&self, document: &Value, _: &Homes) -> Vec<Section> {
        let shared = document.get("servers").is_none() && document.get("mcpServers").is_some();
        vec![section([if shared { "mcpServers" } else { "servers" }])]
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
        let entry = usual::entry(fields, BareUrl::Http)?;
        // Where it came from in the gallery, and how to debug it.
        fields.ignore(&["gallery", "version", "dev"]);
        Ok(entry)
    }

    fn own_entry(&self, launch: &Launch, _: &Section) -> Value {
        json!({"type": "stdio", "command": launch.command, "args": launch.args})
    }
}
