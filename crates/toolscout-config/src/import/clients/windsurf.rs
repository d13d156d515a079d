//! Windsurf: an address is called `serverUrl`.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Windsurf;

const FILES: [&str; 3] =
    [".codeium/windsurf/mcp_config.json", ".codeium/windsurf-next/mcp_config.json", ".codeium/mcp_config.json"];

impl ClientFormat for Windsurf {
    fn name(&self) -> &'static str {
        "windsurf"
    }

    fn title(&self) -> &'static str {
        "Windsurf"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        FILES.iter().filter_map(|it| homes.home(it)).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        entry.filter = usual::filter(Vec::new(), fields.words("disabledTools")?);
        Ok(entry)
    }
}
