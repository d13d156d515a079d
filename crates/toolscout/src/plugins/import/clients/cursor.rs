//! Cursor: the usual entry, with `${env:NAME}` and `envFile`.

use super::super::client::{Client, ClientFile, Section, section};
use super::super::fields::Fields;
use super::super::homes::Homes;
use super::super::usual::{self, BareUrl};
use crate::config::Entry;
use serde_json::Value;

pub(super) struct Cursor;

impl Client for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn files(&self, homes: &Homes) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".cursor/mcp.json");
        [own].into_iter().chain(homes.home(".cursor/mcp.json").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &Homes) -> Vec<Section> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String> {
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        if let Some(mut auth) = fields.inner("auth") {
            entry.client_id = auth.remove("CLIENT_ID").and_then(|it| Some(fields.ours(it.as_str()?)));
            if auth.contains_key("CLIENT_SECRET") {
                fields.note("the client secret in its `auth` is not taken over");
            }
        }
        Ok(entry)
    }
}
