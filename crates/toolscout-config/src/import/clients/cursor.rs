//! Cursor: the usual entry, with `${env:NAME}` and `envFile`.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Cursor;

impl ClientFormat for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".cursor/mcp.json");
        [own].into_iter().chain(homes.home(".cursor/mcp.json").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcpServers"])]
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
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
