//! Cline: an extension of VS Code, with a file of its own in the place for extensions.

use super::super::client::{Client, ClientFile, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::Value;

pub(super) struct Cline;

const EDITORS: [&str; 4] = [
    "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
];

impl Client for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn title(&self) -> &'static str {
        "Cline"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        let alone = homes.home(".cline/data/settings/cline_mcp_settings.json");
        homes.apps(&EDITORS).chain(alone).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &Homes) -> Vec<Section> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
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
