//! Reads entries of our own files and of other programs.

use super::ServerEntry;
use crate::section::{self, ParsedSection, SectionError};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Alternative spellings of keys, with ours.
const KEY_ALIASES: [(&str, &str); 5] = [
    ("serverUrl", "url"),
    ("httpUrl", "url"),
    ("transport", "type"),
    ("transportType", "type"),
    ("timeout", "call_timeout_ms"),
];

/// Keys that other programs write for themselves: descriptions for users, and results of their own
/// discovery.
const IGNORED_KEYS: [&str; 12] = [
    "name",
    "id",
    "title",
    "description",
    "version",
    "icon",
    "gallery",
    "discoveredTools",
    "lastDiscovery",
    "discoveryError",
    "discoveryStatus",
    "configHash",
];

impl ServerEntry {
    /// Reads an entry in our own form or in that of another program.
    pub(crate) fn read(value: Value) -> Result<ParsedSection<Self>, SectionError> {
        match value {
            Value::Object(table) => {
                let section = section::read::<Self>(normalize(table)?, Path::new(""))?;
                match section.unknown.iter().find(|key| key.path.len() > 1) {
                    Some(nested) => Err(nested.clone().into()),
                    None => Ok(section),
                }
            }
            other => Err(SectionError::wrong_type(&other, "a table")),
        }
    }
}

/// The entry with the keys of our own files.
fn normalize(mut table: Map<String, Value>) -> Result<Map<String, Value>, SectionError> {
    for key in IGNORED_KEYS {
        take(&mut table, key);
    }
    for (theirs, ours) in KEY_ALIASES {
        if let Some(value) = take(&mut table, theirs) {
            table.entry(ours).or_insert(value);
        }
    }
    // A server is disabled if either key disables it.
    if let Some(disabled) = take(&mut table, "disabled") {
        let disabled = disabled
            .as_bool()
            .ok_or_else(|| SectionError::wrong_type_at("disabled", &disabled, "true or false"))?;
        if disabled || !table.contains_key("enabled") {
            table.insert("enabled".to_owned(), json!(!disabled));
        }
    }
    if let Some(always) = take(&mut table, "alwaysLoad") {
        let always = always
            .as_bool()
            .ok_or_else(|| SectionError::wrong_type_at("alwaysLoad", &always, "true or false"))?;
        if always {
            table.entry("visibility").or_insert(json!("listed"));
        }
    }
    if let Some(Value::Object(mut oauth)) = take(&mut table, "oauth") {
        for (theirs, ours) in [("clientId", "client_id"), ("clientSecret", "client_secret")] {
            if let Some(value) = take(&mut oauth, theirs) {
                table.entry(ours).or_insert(value);
            }
        }
    }
    // VS Code describes a sandbox of its own in a table of this name.
    if table.get("sandbox").is_some_and(Value::is_object) {
        table.shift_remove("sandbox");
    }
    // Some programs use `tools` for the list of allowed tools, instead of policies.
    if table.get("tools").is_some_and(Value::is_array)
        && let Some(only) = table.shift_remove("tools")
        && let Some(filter) = table.entry("filter").or_insert_with(|| json!({})).as_object_mut()
    {
        filter.entry("include").or_insert(only);
    }
    Ok(table)
}

/// Removes a value by its key, in camel or snake case.
fn take(table: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let (camel, snake) = (table.shift_remove(key), table.shift_remove(&section::snake_case(key)));
    camel.or(snake).filter(|value| !value.is_null())
}
