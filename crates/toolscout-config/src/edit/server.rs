//! Edits a server entry in place, if the result is still a valid server.

use super::{ConfigEdit, ConfigEditor, server_missing, value_at};
use crate::ConfigError;
use crate::{ConfiguredServer, EntryContext, ServerEntry};
use serde_json::{Map, Value};
use toolscout_core::redact::REDACTED;

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
            let entry = at(map, &server.path)
                .and_then(Value::as_object)
                .ok_or_else(|| server_missing(server))?;
            let mut after = entry.clone();
            let lost: &[&str] = match (fields.contains_key("command"), fields.contains_key("url")) {
                (true, _) => &OF_ADDRESS,
                (_, true) => &OF_PROGRAM,
                _ => &[],
            };
            let mut changes = Vec::new();
            let key = |name: &str| [server.path.as_slice(), &[name.to_owned()]].concat();
            for name in lost.iter().filter(|it| entry.contains_key(**it)) {
                after.shift_remove(*name);
                changes.push(ConfigEdit::Remove(key(name)));
            }
            for (name, value) in fields {
                let value = kept(value, entry.get(name));
                after.insert(name.clone(), value.clone());
                changes.push(ConfigEdit::Set(key(name), value));
            }
            let read =
                ServerEntry::read(Value::Object(after)).map_err(|it| wrong(&it.to_string()))?;
            read.value.server(server.server.id.clone(), around).map_err(|it| wrong(&it))?;
            Ok(changes)
        })
    }
}

/// The value, with each redacted part replaced by its old content.
fn kept(value: &Value, before: Option<&Value>) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let one = |(name, value): (&String, &Value)| {
        let hidden = before.and_then(|it| it.get(name)).filter(|_| *value == REDACTED);
        (name.clone(), hidden.unwrap_or(value).clone())
    };
    map.iter().map(one).collect()
}

fn wrong(reason: &str) -> ConfigError {
    ConfigError::invalid(
        format!("the server entry would be invalid: {reason}"),
        "correct the request, then try again",
    )
}
