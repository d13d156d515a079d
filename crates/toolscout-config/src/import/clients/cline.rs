//! Cline: an extension of VS Code, with a file of its own in the place for extensions.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Cline;

const EDITORS: [&str; 4] = [
    "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
];

impl ClientFormat for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn title(&self) -> &'static str {
        "Cline"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let alone = homes.home(".cline/data/settings/cline_mcp_settings.json");
        homes.apps(&EDITORS).chain(alone).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let mut entry = usual::entry(fields, BareUrl::Sse)?;
        entry.call_timeout_ms = fields.duration("timeout", 1000.0);
        for key in ["autoApprove", "alwaysAllow"] {
            if !fields.list(key).unwrap_or_default().is_empty() {
                fields.note(format!("its `{key}` is not taken over: what may run is said in `tools`"));
            }
        }
        Ok(entry)
    }
}
