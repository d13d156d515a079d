//! Gemini CLI: `httpUrl` beside `url`, and variables without braces.

use super::super::client::{Client, ClientFile, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::references::Syntax;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::Value;

pub(super) struct Gemini;

impl Client for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".gemini/settings.json");
        [own].into_iter().chain(homes.home(".gemini/settings.json").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &Homes) -> Vec<Section> {
        vec![section(["mcpServers"])]
    }

    fn syntax(&self) -> Syntax {
        Syntax::Dollar
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
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
