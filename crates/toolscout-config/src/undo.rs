//! Takes back recorded changes: restores the files that they have written, byte for byte.

#[cfg(test)]
mod tests;

use crate::backup::{ChangedEntry, FileBackup, store_failed};
use crate::change_record::{self, ChangeRecord, RecordedRow};
use crate::document;
use crate::edit::{self, ConfigEdit};
use crate::{ConfigError, file};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolscout_core::{Moment, Namespace, Store};
use toolscout_mcp_client::value::keyring;

/// A change that can be undone, and what undoing it would do.
pub struct UndoPlan {
    record: ChangeRecord,
    /// The files that the change has written, except those that are already restored.
    files: Vec<PlannedRestore>,
    /// Whether nothing of the change is left. The keyring is not read for that, because that may
    /// prompt the user.
    is_undone: bool,
}

struct PlannedRestore {
    path: PathBuf,
    backup: FileBackup,
    /// The content for which this is planned; `None` if the file does not exist.
    current: Option<Vec<u8>>,
    action: UndoAction,
    /// The text with the original entries, for [`UndoAction::RestoreEntries`].
    text: Option<String>,
    is_changed: bool,
}

/// What undoing does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoAction {
    /// The whole file is restored, byte for byte.
    Restore,
    /// The file is removed, because it did not exist before.
    Remove,
    /// Only the entries that the change has written are restored, because the file has changed
    /// since, and these entries have not.
    RestoreEntries,
    /// The file has changed since, and stays as it is: the change cannot be undone.
    Refuse,
}

impl UndoAction {
    /// The word in JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Restore => "restore",
            Self::Remove => "remove",
            Self::RestoreEntries => "restore-entries",
            Self::Refuse => "refuse",
        }
    }
}

impl UndoPlan {
    /// All changes that can be undone, newest first. With `whole`, files are restored as a whole
    /// even if they have changed since.
    pub fn all(store: &dyn Store, whole: bool) -> Result<Vec<Self>, ConfigError> {
        let mut plans = Vec::new();
        for record in change_record::read_all(store)? {
            let plan = Self::new(store, record, whole)?;
            plans.extend(plan.filter(|plan| !plan.is_undone));
        }
        Ok(plans)
    }

    fn new(
        store: &dyn Store,
        record: ChangeRecord,
        whole: bool,
    ) -> Result<Option<Self>, ConfigError> {
        let mut files = Vec::new();
        for (index, path) in record.files.iter().enumerate() {
            let key = change_record::file_key(record.number, index);
            let Some(backup) = FileBackup::read(store, &key)? else { return Ok(None) };
            files.extend(PlannedRestore::new(path, backup, whole)?);
        }
        let mut is_undone = files.is_empty() && record.keyring.is_empty();
        for (index, row) in record.rows.iter().enumerate() {
            is_undone &= is_row_restored(store, record.number, index, row)?;
        }
        Ok(Some(Self { record, files, is_undone }))
    }

    /// The number of the change; later changes have larger ones.
    pub fn number(&self) -> u64 {
        self.record.number
    }

    /// When it was made.
    pub fn time(&self) -> Moment {
        Moment(self.record.time)
    }

    /// The operation that made it: `server add`.
    pub fn operation(&self) -> &str {
        &self.record.operation
    }

    /// The change in words, as an imperative.
    pub fn summary(&self) -> &str {
        &self.record.summary
    }

    /// The files that would be written: path, action, and whether another program has changed the
    /// file since.
    pub fn files(&self) -> impl Iterator<Item = (&Path, UndoAction, bool)> {
        self.files.iter().map(|file| (file.path.as_path(), file.action, file.is_changed))
    }

    /// Restores all files, and forgets the change. Restores none if one of them cannot be restored.
    pub fn apply(&self, store: &dyn Store) -> Result<(), ConfigError> {
        if let Some(refused) = self.files.iter().find(|file| file.action == UndoAction::Refuse) {
            let message = format!(
                "`{}` has changed since, and its entries cannot be restored alone",
                refused.path.display()
            );
            let hint = "use --whole to restore the whole file, and lose later changes to it";
            return Err(ConfigError::invalid(message, hint));
        }
        self.files.iter().try_for_each(PlannedRestore::apply)?;
        for (index, row) in self.record.rows.iter().enumerate() {
            restore_row(store, self.record.number, index, row)?;
        }
        // An entry that the user has removed in the meantime is not an error.
        self.record.keyring.iter().for_each(|name| drop(keyring::remove(name)));
        change_record::remove(store, &self.record)
    }
}

impl PlannedRestore {
    /// `None` if the file already is as it was before.
    fn new(path: &Path, backup: FileBackup, whole: bool) -> Result<Option<Self>, ConfigError> {
        let current = file::read_bytes(path)?;
        if current == backup.original {
            return Ok(None);
        }
        let is_changed = !backup.is_unchanged(current.as_deref());
        let bytes_action = match backup.original {
            Some(_) => UndoAction::Restore,
            None => UndoAction::Remove,
        };
        let (action, text) = if !is_changed || whole {
            (bytes_action, None)
        } else {
            match current.as_deref().and_then(|bytes| with_entries(path, bytes, &backup.entries)) {
                Some(text) => (UndoAction::RestoreEntries, Some(text)),
                None => (UndoAction::Refuse, None),
            }
        };
        Ok(Some(Self { path: path.to_owned(), backup, current, action, text, is_changed }))
    }

    fn apply(&self) -> Result<(), ConfigError> {
        let current = self.current.as_deref();
        match &self.text {
            Some(text) => file::replace(&self.path, current, text.as_bytes()),
            None => self.backup.restore(&self.path, current),
        }
    }
}

/// The text of a file with these entries as they were; `None` if there are none, one of them has
/// changed since, or the file cannot be edited.
fn with_entries(path: &Path, current: &[u8], entries: &[ChangedEntry]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(current).ok()?;
    let edits = |map: &Map<String, Value>| {
        if !entries.iter().all(|entry| entry.is_original_or_ours(map)) {
            return Err(ConfigError::invalid("an entry has changed since", ""));
        }
        let edit = |ChangedEntry { keys, original, .. }: &ChangedEntry| match (
            document::value_at(map, keys),
            original,
        ) {
            (now, Some(value)) if now != Some(value) => {
                Some(ConfigEdit::Set(keys.clone(), value.clone()))
            }
            (Some(_), None) => Some(ConfigEdit::Remove(keys.clone())),
            _ => None,
        };
        Ok(entries.iter().filter_map(edit).collect())
    };
    edit::edited_text(path, text, &edits).ok()
}

/// Whether a row of a change is as it was before.
fn is_row_restored(
    store: &dyn Store,
    number: u64,
    index: usize,
    row: &RecordedRow,
) -> Result<bool, ConfigError> {
    let Some((namespace, key)) = known_row(row) else { return Ok(true) };
    let now = store.read(namespace, key).map_err(store_failed)?;
    Ok(now == original_row(store, number, index)?)
}

fn restore_row(
    store: &dyn Store,
    number: u64,
    index: usize,
    row: &RecordedRow,
) -> Result<(), ConfigError> {
    let Some((namespace, key)) = known_row(row) else { return Ok(()) };
    match original_row(store, number, index)? {
        Some(value) => store.write(namespace, key, &value).map_err(store_failed),
        None => store.remove(namespace, key).map(drop).map_err(store_failed),
    }
}

/// The namespace and the key of a row; `None` if only a newer version knows the namespace, so that
/// the row is left alone.
fn known_row((namespace, key): &RecordedRow) -> Option<(Namespace, &str)> {
    let mut all = [Namespace::Approval, Namespace::Backup].into_iter();
    all.find(|known| known.as_str() == namespace).map(|namespace| (namespace, key.as_str()))
}

fn original_row(
    store: &dyn Store,
    number: u64,
    index: usize,
) -> Result<Option<Vec<u8>>, ConfigError> {
    let key = change_record::row_key(number, index);
    store.read(Namespace::Backup, &key).map_err(store_failed)
}
