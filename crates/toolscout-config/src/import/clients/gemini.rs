//! Gemini CLI: `httpUrl` beside `url`, and variables without braces.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::references::VariableSyntax;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Gemini;

impl ClientFormat for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".gemini/settings.json");
        [own].into_iter().chain(homes.home(".gemini/settings.json").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcpServers"])]
    }

    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Dollar
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let mut entry = usual::entry(fields, BareUrl::Sse)?;
        entry.call_timeout_ms = fields.duration("timeout", 1.0);
        entry.filter = usual::filter(fields.words("includeTools")?, fields.words("excludeTools")?);
        if fields.switch("trust") == Some(true) {
            fields.note("its `trust` is not taken over: what may run is said in `tools`");
        }
        if let Some(mut oauth) = fields.inner("oauth") {
            entry.client_id = oauth.remove("clientId").and_then(|it| Some(fields.ours(it.as_str()?)));
        }
        fields.ignore(&["description"]);
        Ok(entry)
    }
}
