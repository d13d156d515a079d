//! Claude Desktop: programs only, and no variables.

use super::super::client::{Client, ClientFile, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::references::Syntax;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::Value;

pub(super) struct ClaudeDesktop;

impl Client for ClaudeDesktop {
    fn name(&self) -> &'static str {
        "claude-desktop"
    }

    fn title(&self) -> &'static str {
        "Claude Desktop"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        homes.apps(&["Claude/claude_desktop_config.json"]).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &Homes) -> Vec<Section> {
        vec![section(["mcpServers"])]
    }

    fn syntax(&self) -> Syntax {
        Syntax::Plain
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
        usual::entry(fields, BareUrl::Http)
    }

    fn is_desktop(&self) -> bool {
        true
    }
}
