//! Claude Desktop: programs only, and no variables.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::references::VariableSyntax;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct ClaudeDesktop;

impl ClientFormat for ClaudeDesktop {
    fn name(&self) -> &'static str {
        "claude-desktop"
    }

    fn title(&self) -> &'static str {
        "Claude Desktop"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        homes.apps(&["Claude/claude_desktop_config.json"]).map(ClientFile::user).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcpServers"])]
    }

    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Plain
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        usual::entry(fields, BareUrl::Http)
    }

    fn is_desktop(&self) -> bool {
        true
    }
}
