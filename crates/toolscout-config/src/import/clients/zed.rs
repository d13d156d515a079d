//! Zed: servers are called context servers, and some belong to its extensions.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::references::VariableSyntax;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Zed;

impl ClientFormat for Zed {
    fn name(&self) -> &'static str {
        "zed"
    }

    fn title(&self) -> &'static str {
        "Zed"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".zed/settings.json");
        [own].into_iter().chain(homes.config("zed/settings.json").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["context_servers"])]
    }

    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Plain
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        // Older files have the program's path, arguments and variables in a table of their own.
        if let Some(mut nested) = fields.inner("command") {
            if let Some(path) = nested.remove("path") {
                nested.insert("command".to_owned(), path);
            }
            fields.add(nested);
        }
        let of_extension = fields.word("source")?.as_deref() == Some("extension") || fields.has("settings");
        if of_extension && !fields.has("command") && !fields.has("url") {
            return Err("it belongs to an extension of Zed, which alone knows how to start it".to_owned());
        }
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        entry.call_timeout_ms = fields.duration("timeout", 1.0);
        Ok(entry)
    }
}
