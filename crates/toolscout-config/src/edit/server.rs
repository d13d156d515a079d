//! Edits a server entry in place, if the result is still a valid server.

use super::{ConfigEdit, ConfigEditor, server_missing};
use crate::ConfigError;
use crate::document::{self, DocumentFormat, value_at};
use crate::{ConfiguredServer, EntryContext, ServerEntry};
use serde_json::{Map, Value};
use std::path::Path;
use toolscout_core::redact::REDACTED;
use toolscout_mcp_client::ServerConfig;

/// The keys of a program and the keys of a URL: setting one kind removes the other.
const PROGRAM_KEYS: [&str; 4] = ["command", "args", "env", "cwd"];
const URL_KEYS: [&str; 4] = ["url", "type", "headers", "bearer"];

impl ConfigEditor {
    /// Sets these fields in the entry of a server, replacing existing values. A redacted value
    /// keeps its old content.
    pub fn update_server(
        &self,
        server: &ConfiguredServer,
        fields: &Map<String, Value>,
        context: &EntryContext,
    ) -> Result<(), ConfigError> {
        self.edit(&server.file, |map| {
            updated_entry(map, server, fields, context).map(|(changes, _)| changes)
        })
    }

    /// The entry of a server as its file has it, with relative paths and references.
    pub fn written_entry(
        &self,
        server: &ConfiguredServer,
    ) -> Result<Map<String, Value>, ConfigError> {
        entry_in(&read(&server.file)?, server).cloned()
    }

    /// The server as [`ConfigEditor::update_server`] would configure it; writes nothing.
    pub fn preview_server(
        &self,
        server: &ConfiguredServer,
        fields: &Map<String, Value>,
        context: &EntryContext,
    ) -> Result<ServerConfig, ConfigError> {
        updated_entry(&read(&server.file)?, server, fields, context).map(|(_, server)| server)
    }
}

fn read(file: &Path) -> Result<Map<String, Value>, ConfigError> {
    let text = document::read_text(file)?.unwrap_or_default();
    DocumentFormat::from_path(file).parse(&text).map_err(|error| error.in_file(file))
}

fn entry_in<'a>(
    map: &'a Map<String, Value>,
    server: &ConfiguredServer,
) -> Result<&'a Map<String, Value>, ConfigError> {
    value_at(map, &server.path).and_then(Value::as_object).ok_or_else(|| server_missing(server))
}

/// The edits that set these fields, and the server they lead to.
fn updated_entry(
    map: &Map<String, Value>,
    server: &ConfiguredServer,
    fields: &Map<String, Value>,
    context: &EntryContext,
) -> Result<(Vec<ConfigEdit>, ServerConfig), ConfigError> {
    let entry = entry_in(map, server)?;
    let mut after = entry.clone();
    let obsolete: &[&str] = match (fields.contains_key("command"), fields.contains_key("url")) {
        (true, _) => &URL_KEYS,
        (_, true) => &PROGRAM_KEYS,
        _ => &[],
    };
    let mut changes = Vec::new();
    let key = |name: &str| [server.path.as_slice(), &[name.to_owned()]].concat();
    for name in obsolete.iter().filter(|obsolete| entry.contains_key(**obsolete)) {
        after.shift_remove(*name);
        changes.push(ConfigEdit::Remove(key(name)));
    }
    for (name, value) in fields {
        let value = restore_redacted(value, entry.get(name));
        after.insert(name.clone(), value.clone());
        changes.push(ConfigEdit::Set(key(name), value));
    }
    let read = ServerEntry::read(Value::Object(after))
        .map_err(|error| invalid_server(&error.to_string()))?;
    let updated = read
        .value
        .to_server_config(server.server.id.clone(), context)
        .map_err(|error| invalid_server(&error))?;
    Ok((changes, updated))
}

/// The value, with each redacted part replaced by its old content.
fn restore_redacted(value: &Value, before: Option<&Value>) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let restore = |(name, value): (&String, &Value)| {
        let old = before.and_then(|value| value.get(name)).filter(|_| *value == REDACTED);
        (name.clone(), old.unwrap_or(value).clone())
    };
    map.iter().map(restore).collect()
}

fn invalid_server(reason: &str) -> ConfigError {
    ConfigError::invalid(
        format!("the server entry would be invalid: {reason}"),
        "correct the request, then try again",
    )
}
