//! Windsurf: an address is called `serverUrl`.

use super::super::client::{Client, ClientFile, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::Value;

pub(super) struct Windsurf;

const FILES: [&str; 3] =
    [".codeium/windsurf/mcp_config.json", ".codeium/windsurf-next/mcp_config.json", ".codeium/mcp_config.json"];

impl Client for Windsurf {
    fn name(&self) -> &'static str {
        "windsurf"
    }

    fn title(&self) -> &'static str {
        "Windsurf"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        FILES.iter().filter_map(|it| homes.home(it)).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &Homes) -> Vec<Section> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        entry.filter = usual::filter(Vec::new(), fields.words("disabledTools")?);
        Ok(entry)
    }
}
