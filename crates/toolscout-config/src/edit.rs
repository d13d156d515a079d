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

use super::document::{self, DocumentFormat, value_at, without_empty_tables};
use super::files::SERVER_TABLES;
use super::policies::{check_pattern, to_value};
use super::write;
use super::{Config, ConfigError, ConfiguredServer, ServerEntry};
use crate::backup::OriginalEntry;
use crate::change_record::ChangeRecorder;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
pub(crate) type ComputeEdits<'a> =
    dyn Fn(&Map<String, Value>) -> Result<Vec<ConfigEdit>, ConfigError> + 'a;

/// Changes configuration files, one writer at a time.
#[derive(Debug, Clone)]
pub struct ConfigEditor {
    /// The folder of the lock files. Without it, writers only detect each other's changes.
    lock_folder: Option<PathBuf>,
    recorder: Option<Arc<ChangeRecorder>>,
    /// The project whose files must not lead elsewhere.
    project: Option<PathBuf>,
}

impl ConfigEditor {
    /// An editor with its locks in this state folder.
    pub fn new(state: Option<PathBuf>) -> Self {
        Self { lock_folder: state.map(|state| state.join("locks")), recorder: None, project: None }
    }

    /// The same editor; it refuses files of this project that are links out of it.
    pub fn within(self, project: PathBuf) -> Self {
        Self { project: Some(project), ..self }
    }

    /// The same editor; every file that it writes is recorded first, so that it can be restored.
    pub fn recording(self, recorder: ChangeRecorder) -> Self {
        Self { recorder: Some(Arc::new(recorder)), ..self }
    }

    /// The recorder of the change that this editor is for.
    pub fn recorder(&self) -> Option<&ChangeRecorder> {
        self.recorder.as_deref()
    }

    /// Adds a server to one of our own files; an existing server requires `replace`.
    pub fn add_server(
        &self,
        file: &Path,
        id: &SourceId,
        entry: &ServerEntry,
        replace: bool,
    ) -> Result<(), ConfigError> {
        self.add_servers(file, &[(id, entry)], replace)
    }

    /// Like [`ConfigEditor::add_server`], for several servers in one edit.
    pub(crate) fn add_servers(
        &self,
        file: &Path,
        servers: &[(&SourceId, &ServerEntry)],
        replace: bool,
    ) -> Result<(), ConfigError> {
        let put = |map: &Map<String, Value>, id: &SourceId, entry: &ServerEntry| {
            let existing = server_path(map, id.as_str());
            if existing.is_some() && !replace {
                let message = format!("`{}` already has a server `{id}`", file.display());
                return Err(ConfigError::invalid(message, "remove it first, or choose another id"));
            }
            let uses_mcp_servers = map.contains_key("mcpServers") && !map.contains_key("servers");
            let table = if uses_mcp_servers { "mcpServers" } else { "servers" };
            let value = serde_json::to_value(entry);
            let value =
                value.map_err(|source| ConfigError::Unwritable { id: id.to_string(), source })?;
            Ok(ConfigEdit::Set(existing.unwrap_or_else(|| key_path(&[table, id.as_str()])), value))
        };
        self.edit(file, |map| servers.iter().map(|(id, entry)| put(map, id, entry)).collect())
    }

    /// Removes a server from its file, which may belong to another program.
    pub fn remove_server(&self, server: &ConfiguredServer) -> Result<(), ConfigError> {
        self.edit(&server.file, |map| {
            value_at(map, &server.path).ok_or_else(|| server_missing(server))?;
            Ok(vec![ConfigEdit::Remove(server.path.clone())])
        })
    }

    /// Enables or disables a server in its file.
    pub fn set_enabled(&self, server: &ConfiguredServer, enabled: bool) -> Result<(), ConfigError> {
        self.edit(&server.file, |map| {
            let entry = value_at(map, &server.path).ok_or_else(|| server_missing(server))?;
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
        check_pattern(pattern)
            .map_err(|error| ConfigError::invalid(error, "name a tool as `source/tool`"))?;
        if let Some(looser) = policy.filter(|policy| !allowed.contains(policy)) {
            let words: Vec<_> = allowed.iter().map(|policy| policy.as_str()).collect();
            let message = format!(
                "`{}` is looser than the levels above allow for `{pattern}`",
                looser.as_str()
            );
            return Err(ConfigError::invalid(
                message,
                format!("at this level, use {}", words.join(", ")),
            ));
        }
        self.edit(file, |map| {
            let rule = key_path(&["policies", pattern]);
            let entry_rule = pattern.split_once('/').and_then(|(source, tool)| {
                let tools = [server_path(map, source)?, vec!["tools".to_owned()]].concat();
                // In files of some programs this key is a list of the existing tools.
                let is_list = value_at(map, &tools).is_some_and(Value::is_array);
                (!is_list).then(|| [tools, vec![tool.to_owned()]].concat())
            });
            let target = entry_rule.as_ref().unwrap_or(&rule);
            let mut changes = Vec::new();
            if entry_rule.is_some() && value_at(map, &rule).is_some() {
                changes.push(ConfigEdit::Remove(rule.clone()));
            }
            match policy {
                Some(policy) => changes.push(ConfigEdit::Set(target.clone(), to_value(policy))),
                None if value_at(map, target).is_some() => {
                    changes.push(ConfigEdit::Remove(target.clone()))
                }
                None => {}
            }
            Ok(changes)
        })
    }

    /// Computes edits from the content of the file and writes them; a missing file is created.
    /// `compute_edits` may run several times, because other programs may change the file at the same
    /// time.
    ///
    /// Blocks: waits for other writers, and for the disk.
    pub fn edit(
        &self,
        path: &Path,
        compute_edits: impl Fn(&Map<String, Value>) -> Result<Vec<ConfigEdit>, ConfigError>,
    ) -> Result<(), ConfigError> {
        if let Some(project) = &self.project {
            write::check_within(project, path)?;
        }
        let file = write::real_path(path)?;
        let is_first = self.recorder().is_some_and(|recorder| !recorder.has_file(&file));
        let edited = self.edit_file(path, &file, compute_edits);
        // A change that was not made must not be offered to be undone.
        if let (Err(_), true, Some(recorder)) = (&edited, is_first, self.recorder()) {
            let _ = recorder.retract_file(&file);
        }
        edited
    }

    fn edit_file(
        &self,
        path: &Path,
        file: &Path,
        compute_edits: impl Fn(&Map<String, Value>) -> Result<Vec<ConfigEdit>, ConfigError>,
    ) -> Result<(), ConfigError> {
        let _lock = self
            .lock_folder
            .as_deref()
            .map(|lock_folder| write::lock(lock_folder, file))
            .transpose()?;
        for _ in 0..ATTEMPTS {
            let before = document::read_text(file)?;
            let changed = RefCell::default();
            let compute = |map: &Map<String, Value>| {
                let edits = compute_edits(map)?;
                changed.replace(originals(map, &edits));
                Ok(edits)
            };
            let after = edited_text(file, before.as_deref().unwrap_or_default(), &compute)?;
            if before.as_deref() == Some(&after) || (before.is_none() && after.is_empty()) {
                return Ok(());
            }
            validate(path, before.as_deref().unwrap_or_default(), &after)?;
            self.record(
                file,
                before.as_deref().map(str::as_bytes),
                Some(after.as_bytes()),
                changed.take(),
            );
            if write::replace(file, before.as_deref().map(str::as_bytes), after.as_bytes())? {
                return Ok(());
            }
        }
        let message = format!("`{}` keeps being changed by another program", file.display());
        Err(ConfigError::Unavailable { message, hint: "try again".to_owned() })
    }
}

impl ConfigEditor {
    /// Records a file before it is written, or removed if `after` is none. Without a store, the
    /// change is made and cannot be undone.
    pub(crate) fn record(
        &self,
        file: &Path,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
        entries: Vec<OriginalEntry>,
    ) {
        if let Some(recorder) = self.recorder() {
            let _ = recorder.file(file, before, after, entries);
        }
    }
}

/// The current values of the entries that these edits change.
pub(crate) fn originals(map: &Map<String, Value>, edits: &[ConfigEdit]) -> Vec<OriginalEntry> {
    let original = |edit: &ConfigEdit| match edit {
        ConfigEdit::Set(path, _) | ConfigEdit::Remove(path) => {
            (path.clone(), value_at(map, path).cloned())
        }
    };
    edits.iter().map(original).collect()
}

/// The text of a file with the edits applied and everything else unchanged.
pub(crate) fn edited_text(
    file: &Path,
    text: &str,
    compute_edits: &ComputeEdits<'_>,
) -> Result<String, ConfigError> {
    let format = DocumentFormat::from_path(file);
    let mut expected = format.parse(text).map_err(|error| error.in_file(file))?;
    let changes = compute_edits(&expected)?;
    if changes.is_empty() {
        return Ok(text.to_owned());
    }
    if format == DocumentFormat::Yaml {
        return Err(yaml::edit_by_hand_error(file, &changes));
    }
    let bom = &text[..text.len() - document::strip_bom(text).len()];
    let mut after = document::strip_bom(text).to_owned();
    for change in &changes {
        apply(change, &mut expected);
        let edited = match format {
            DocumentFormat::Toml => toml::edit(&after, change),
            _ => json::edit(&after, change),
        };
        // Parsed again: a file with an unusual layout is left alone rather than broken.
        let is_expected = |text: &String| {
            format.parse(text).is_ok_and(|map| {
                without_empty_tables(map) == without_empty_tables(expected.clone())
            })
        };
        after = edited.filter(is_expected).ok_or_else(|| unsupported_layout(file, change))?;
    }
    Ok(bom.to_owned() + &after)
}

/// Refuses an edit that adds warnings. Existing warnings of the file are allowed.
fn validate(file: &Path, before: &str, after: &str) -> Result<(), ConfigError> {
    let existing = warnings(file, before)?;
    match warnings(file, after)?.into_iter().find(|warning| !existing.contains(warning)) {
        Some(reason) => {
            let message = format!("`{}` would become invalid: {reason}", file.display());
            Err(ConfigError::invalid(message, "nothing was written; correct the request"))
        }
        None => Ok(()),
    }
}

/// The warnings about the text of a file, without positions, which an edit may shift.
fn warnings(file: &Path, text: &str) -> Result<Vec<String>, ConfigError> {
    let warnings = Config::diagnose(file, text)?
        .into_iter()
        .filter(|diagnostic| diagnostic.level == DiagnosticLevel::Warning);
    let without_position = |message: String| match message.split_once(": ") {
        Some((position, reason)) if position.starts_with("line ") => reason.to_owned(),
        _ => message,
    };
    Ok(warnings.map(|warning| without_position(warning.message)).collect())
}

fn unsupported_layout(file: &Path, change: &ConfigEdit) -> ConfigError {
    let path = match change {
        ConfigEdit::Set(path, _) | ConfigEdit::Remove(path) => path.join("."),
    };
    let message = format!("`{}` is written in a way that cannot be edited safely", file.display());
    ConfigError::invalid(message, format!("edit `{}` in it by hand", escape::line(&path)))
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

fn server_path(map: &Map<String, Value>, id: &str) -> Option<Vec<String>> {
    SERVER_TABLES
        .iter()
        .map(|server_table| key_path(&[server_table, id]))
        .find(|path| value_at(map, path).is_some())
}

/// The value nested below these keys.
fn nested(path: &[String], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, key| json!({ key: value }))
}

fn key_path(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Replaces a whole file of our own atomically: readers see the old text or the new one. It must
/// not lead out of the project.
pub fn overwrite(project: &Path, file: &Path, text: &str) -> Result<(), ConfigError> {
    write::check_within(project, file)?;
    let before = document::read_text(file)?;
    if write::replace(file, before.as_deref().map(str::as_bytes), text.as_bytes())? {
        Ok(())
    } else {
        Err(ConfigError::invalid(
            format!("`{}` was changed by another program at the same time", file.display()),
            "try again",
        ))
    }
}
