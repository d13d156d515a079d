//! Edits configuration files: only the necessary text changes, and readers see the old file or the
//! new one, never a part.
//!
//! Start reading at [`ConfigEditor::edit`]. An edit is computed as replacements in the text
//! ([`splice`]). The result is parsed again before it is written, and must contain exactly the
//! requested values.

mod json;
mod server;
mod splice;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use super::document::{self, DocumentFormat};
use super::files::SERVER_TABLES;
use super::policies::{check, written};
use super::{Config, ConfigError, ConfiguredServer, ServerEntry};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use toolscout_core::authorization::Policy;
use toolscout_core::{DiagnosticLevel, SourceId, escape};

/// The number of attempts to apply an edit if other programs change the file at the same time.
const ATTEMPTS: usize = 8;

/// One edit of a file. A path is the list of keys that lead to a value, outermost first.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigEdit {
    /// Adds the value, or replaces an existing one.
    Set(Vec<String>, Value),
    /// Removes the value, with its key and the comments directly above it.
    Remove(Vec<String>),
}

/// Computes the edits from the content of a file.
pub(crate) type WorkOut<'a> =
    dyn Fn(&Map<String, Value>) -> Result<Vec<ConfigEdit>, ConfigError> + 'a;

/// Changes configuration files, one writer at a time.
#[derive(Debug, Clone)]
pub struct ConfigEditor {
    /// The folder of the lock files. Without it, writers only detect each other's changes.
    locks: Option<PathBuf>,
}

impl ConfigEditor {
    /// An editor with its locks in this state folder.
    pub fn new(state: Option<PathBuf>) -> Self {
        Self { locks: state.map(|it| it.join("locks")) }
    }

    /// Adds a server to one of our own files; an existing server requires `replace`.
    pub fn put_server(
        &self,
        file: &Path,
        id: &SourceId,
        entry: &ServerEntry,
        replace: bool,
    ) -> Result<(), ConfigError> {
        self.put_servers(file, &[(id, entry)], replace)
    }

    /// Like [`ConfigEditor::put_server`], for several servers in one edit.
    pub(crate) fn put_servers(
        &self,
        file: &Path,
        servers: &[(&SourceId, &ServerEntry)],
        replace: bool,
    ) -> Result<(), ConfigError> {
        let put = |map: &Map<String, Value>, id: &SourceId, entry: &ServerEntry| {
            let there = server_path(map, id.as_str());
            if there.is_some() && !replace {
                let message = format!("`{}` has a server `{id}` already", file.display());
                return Err(ConfigError::invalid(
                    message,
                    "remove it first, or choose another name",
                ));
            }
            let has_theirs = map.contains_key("mcpServers") && !map.contains_key("servers");
            let table = if has_theirs { "mcpServers" } else { "servers" };
            let value = serde_json::to_value(entry);
            let value =
                value.map_err(|source| ConfigError::Unwritable { id: id.to_string(), source })?;
            Ok(ConfigEdit::Set(there.unwrap_or_else(|| path(&[table, id.as_str()])), value))
        };
        self.edit(file, |map| servers.iter().map(|(id, entry)| put(map, id, entry)).collect())
    }

    /// Removes a server from its file, which may belong to another program.
    pub fn remove_server(&self, server: &ConfiguredServer) -> Result<(), ConfigError> {
        self.edit(&server.file, |map| {
            at(map, &server.path).ok_or_else(|| server_missing(server))?;
            Ok(vec![ConfigEdit::Remove(server.path.clone())])
        })
    }

    /// Enables or disables a server in its file.
    pub fn set_enabled(&self, server: &ConfiguredServer, enabled: bool) -> Result<(), ConfigError> {
        self.edit(&server.file, |map| {
            let entry = at(map, &server.path).ok_or_else(|| server_missing(server))?;
            let key = |name: &str| [server.path.as_slice(), &[name.to_owned()]].concat();
            let mut changes = Vec::new();
            if entry.get("disabled").is_some() {
                changes.push(ConfigEdit::Set(key("disabled"), json!(!enabled)));
            }
            let is_written = entry.get("enabled").is_some();
            if is_written || (changes.is_empty() && !enabled) {
                changes.push(ConfigEdit::Set(key("enabled"), json!(enabled)));
            }
            Ok(changes)
        })
    }

    /// Sets the policy of a pattern: `source/tool`, `source/*` or `*`; `None` removes it. It goes
    /// into the server's entry if this file contains it, else into `[policies]`. Refuses a policy
    /// that is not one of `allowed`: a level may not be looser than its parents.
    pub fn set_policy(
        &self,
        file: &Path,
        pattern: &str,
        policy: Option<Policy>,
        allowed: &[Policy],
    ) -> Result<(), ConfigError> {
        check(pattern).map_err(|it| ConfigError::invalid(it, "name a tool as `source/tool`"))?;
        if let Some(looser) = policy.filter(|it| !allowed.contains(it)) {
            let words: Vec<_> = allowed.iter().map(|it| it.word()).collect();
            let message = format!(
                "`{}` is looser than what the levels above say about `{pattern}`",
                looser.word()
            );
            return Err(ConfigError::invalid(
                message,
                format!("this level may say {}", words.join(", ")),
            ));
        }
        self.edit(file, |map| {
            let rule = path(&["policies", pattern]);
            let named = pattern.split_once('/').and_then(|(source, tool)| {
                let tools = [server_path(map, source)?, vec!["tools".to_owned()]].concat();
                // In files of some programs this key is a list of the existing tools.
                let is_list = at(map, &tools).is_some_and(Value::is_array);
                (!is_list).then(|| [tools, vec![tool.to_owned()]].concat())
            });
            let place = named.as_ref().unwrap_or(&rule);
            let mut changes = Vec::new();
            if named.is_some() && at(map, &rule).is_some() {
                changes.push(ConfigEdit::Remove(rule.clone()));
            }
            match policy {
                Some(policy) => changes.push(ConfigEdit::Set(place.clone(), written(policy))),
                None if at(map, place).is_some() => changes.push(ConfigEdit::Remove(place.clone())),
                None => {}
            }
            Ok(changes)
        })
    }

    /// Computes edits from the content of the file and writes them; a missing file is created.
    /// `work_out` may run several times, because other programs may change the file at the same
    /// time.
    ///
    /// Blocks: waits for other writers, and for the disk.
    pub fn edit(
        &self,
        named: &Path,
        work_out: impl Fn(&Map<String, Value>) -> Result<Vec<ConfigEdit>, ConfigError>,
    ) -> Result<(), ConfigError> {
        let file = write::real(named)?;
        let _lock = self.locks.as_deref().map(|it| write::lock(it, &file)).transpose()?;
        for _ in 0..ATTEMPTS {
            let before = document::text(&file)?;
            let after = changed(&file, before.as_deref().unwrap_or_default(), &work_out)?;
            if before.as_deref() == Some(&after) || (before.is_none() && after.is_empty()) {
                return Ok(());
            }
            validate(named, before.as_deref().unwrap_or_default(), &after)?;
            if write::replace(&file, before.as_deref().map(str::as_bytes), after.as_bytes())? {
                return Ok(());
            }
        }
        let message = format!("`{}` keeps being changed by another program", file.display());
        Err(ConfigError::Unavailable { message, hint: "try again".to_owned() })
    }
}

/// The text of a file with the edits applied and everything else unchanged.
pub(crate) fn changed(
    file: &Path,
    text: &str,
    work_out: &WorkOut<'_>,
) -> Result<String, ConfigError> {
    let format = DocumentFormat::of(file);
    let mut wanted = format.parse(text).map_err(|it| it.error(file))?;
    let changes = work_out(&wanted)?;
    if changes.is_empty() {
        return Ok(text.to_owned());
    }
    if format == DocumentFormat::Yaml {
        return Err(yaml::refusal(file, &changes));
    }
    let mark = &text[..text.len() - document::without_mark(text).len()];
    let mut after = document::without_mark(text).to_owned();
    for change in &changes {
        apply(change, &mut wanted);
        let made = match format {
            DocumentFormat::Toml => toml::edit(&after, change),
            _ => json::edit(&after, change),
        };
        // Parsed again: a file with an unusual layout is left alone rather than broken.
        let is_right = |it: &String| {
            format
                .parse(it)
                .is_ok_and(|it| without_empty_tables(it) == without_empty_tables(wanted.clone()))
        };
        after = made.filter(is_right).ok_or_else(|| by_hand(file, change))?;
    }
    Ok(mark.to_owned() + &after)
}

/// Refuses an edit that adds warnings. Existing warnings of the file are allowed.
fn validate(file: &Path, before: &str, after: &str) -> Result<(), ConfigError> {
    let known = warnings(file, before)?;
    match warnings(file, after)?.into_iter().find(|it| !known.contains(it)) {
        Some(reason) => {
            let message = format!("`{}` would not be valid any more: {reason}", file.display());
            Err(ConfigError::invalid(message, "nothing was written; correct the request"))
        }
        None => Ok(()),
    }
}

/// The warnings about the text of a file, without positions, which an edit may shift.
fn warnings(file: &Path, text: &str) -> Result<Vec<String>, ConfigError> {
    let warnings =
        Config::diagnose(file, text)?.into_iter().filter(|it| it.level == DiagnosticLevel::Warning);
    let without_position = |message: String| match message.split_once(": ") {
        Some((position, reason)) if position.starts_with("line ") => reason.to_owned(),
        _ => message,
    };
    Ok(warnings.map(|it| without_position(it.message)).collect())
}

fn by_hand(file: &Path, change: &ConfigEdit) -> ConfigError {
    let path = match change {
        ConfigEdit::Set(path, _) | ConfigEdit::Remove(path) => path.join("."),
    };
    let message = format!("`{}` is written in a way that cannot be changed safely", file.display());
    ConfigError::invalid(message, format!("change `{}` in it by hand", escape::line(&path)))
}

fn server_missing(server: &ConfiguredServer) -> ConfigError {
    ConfigError::ServerMissing { path: server.file.clone(), id: server.server.id.to_string() }
}

/// Applies the edit to the parsed values.
fn apply(change: &ConfigEdit, map: &mut Map<String, Value>) {
    let (path, value) = match change {
        ConfigEdit::Set(path, value) => (path, Some(value)),
        ConfigEdit::Remove(path) => (path, None),
    };
    let Some((last, outer)) = path.split_last() else { return };
    let mut map = map;
    for key in outer {
        let inner = map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
        if inner.is_null() {
            *inner = Value::Object(Map::new());
        }
        let Some(inner) = inner.as_object_mut() else { return };
        map = inner;
    }
    match value {
        Some(value) => map.insert(last.clone(), value.clone()),
        None => map.shift_remove(last),
    };
}

/// The table without empty tables. They carry no information: removing a section also removes its
/// implicit parent tables.
fn without_empty_tables(map: Map<String, Value>) -> Map<String, Value> {
    let pruned = map.into_iter().map(|(key, value)| match value {
        Value::Object(inner) => (key, Value::Object(without_empty_tables(inner))),
        other => (key, other),
    });
    pruned.filter(|(_, value)| value.as_object().is_none_or(|it| !it.is_empty())).collect()
}

fn at<'a>(map: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first)?, |value, key| value.get(key))
}

fn server_path(map: &Map<String, Value>, id: &str) -> Option<Vec<String>> {
    SERVER_TABLES.iter().map(|it| path(&[it, id])).find(|it| at(map, it).is_some())
}

/// The value nested below these keys.
fn nested(path: &[String], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, key| json!({ key: value }))
}

fn path(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|it| (*it).to_owned()).collect()
}

/// Replaces a whole file of our own atomically: readers see the old text or the new one.
pub fn overwrite(file: &Path, text: &str) -> Result<(), ConfigError> {
    let before = document::text(file)?;
    if write::replace(file, before.as_deref().map(str::as_bytes), text.as_bytes())? {
        Ok(())
    } else {
        Err(ConfigError::invalid(
            format!("`{}` was changed at the same moment", file.display()),
            "try again",
        ))
    }
}
