//! Adds our entry to a client's file and removes it again.

use super::site::{self, ClientSite};
use crate::backup::{FileBackup, OriginalEntry, client_key};
use crate::edit::{ConfigEdit, ConfigEditor};
use crate::import::KeyPath;
use crate::{ConfigError, file};
use serde_json::Value;
use std::path::Path;
use toolscout_core::{Digest, Namespace, Store};

/// The result of disconnecting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisconnectOutcome {
    /// The file is restored, byte for byte.
    Restored,
    /// The file did not exist before, and was removed.
    Removed,
    /// Another program changed the file, so only our entry was removed.
    EntryRemoved,
    /// The file did not contain our entry.
    NotConnected,
}

/// The edited text of a client's file.
pub(super) struct ClientEdit {
    text: String,
    /// The entries that differ, as they were.
    originals: Vec<OriginalEntry>,
}

/// The text of the file with our entry added and these others removed; `None` if nothing would
/// change. Writes nothing.
pub(super) fn prepare(
    site: &ClientSite,
    entry: &Value,
    others: &[(KeyPath, String)],
) -> Result<Option<ClientEdit>, ConfigError> {
    if site.entry() == Some(entry) && others.is_empty() {
        return Ok(None);
    }
    if site.entry().is_some() && !site.is_connected() {
        let message =
            format!("`{}` already has another server named `{}`", site.path.display(), site.name);
        return Err(ConfigError::invalid(message, "rename that server, then try again"));
    }
    let mut changes = vec![ConfigEdit::Set(site.entry_path(), entry.clone())];
    changes.extend(
        others.iter().map(|(section, name)| ConfigEdit::Remove(site::entry_path(section, name))),
    );
    let (text, originals) = (site.edited(&changes)?, site.originals(&changes)?);
    Ok(Some(ClientEdit { text, originals }))
}

/// Writes the prepared text, after a backup of the current file.
pub(super) fn connect(
    site: &ClientSite,
    edit: &ClientEdit,
    editor: &ConfigEditor,
    store: &dyn Store,
) -> Result<(), ConfigError> {
    site.check_writable()?;
    let written = edit.text.as_bytes();
    record(&site.path, site.bytes(), Some(written), edit.originals.clone(), editor)?;
    backup(site, &edit.text, store)?.save(store, &client_key(&site.path))?;
    file::replace(&site.path, site.bytes(), written)
}

/// Records the file and its backup, before either is written.
fn record(
    path: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    originals: Vec<OriginalEntry>,
    editor: &ConfigEditor,
) -> Result<(), ConfigError> {
    editor.record(path, before, after, originals);
    let recorder = editor.recorder();
    recorder.map_or(Ok(()), |recorder| recorder.row(Namespace::Backup, &client_key(path)))
}

/// The backup to restore on disconnect.
fn backup(site: &ClientSite, text: &str, store: &dyn Store) -> Result<FileBackup, ConfigError> {
    let written = Some(Digest::of_bytes(text.as_bytes()));
    let earlier = FileBackup::read(store, &client_key(&site.path))?;
    match (earlier, site.bytes()) {
        // Connected before and unchanged since: the original is that of the earlier backup.
        (Some(earlier), Some(bytes)) if earlier.is_unchanged(Some(bytes)) => {
            Ok(FileBackup { written, ..earlier })
        }
        // Changed since, or connected by hand: the original is the current file without our entry.
        (_, Some(_)) if site.entry().is_some() => {
            let original = Some(site.without_own_entry()?.into_bytes());
            Ok(FileBackup { original, ..FileBackup::new(&site.path, None, Some(text.as_bytes())) })
        }
        (_, bytes) => Ok(FileBackup::new(&site.path, bytes, Some(text.as_bytes()))),
    }
}

/// Removes our entry from the file. If the original is not restored, its backup is kept, because
/// the user may still need it.
pub(super) fn disconnect(
    site: &ClientSite,
    editor: &ConfigEditor,
    store: &dyn Store,
) -> Result<DisconnectOutcome, ConfigError> {
    let Some(bytes) = site.bytes() else { return Ok(DisconnectOutcome::NotConnected) };
    site.check_writable()?;
    if FileBackup::read(store, &client_key(&site.path))?
        .is_some_and(|backup| backup.is_unchanged(Some(bytes)))
    {
        return restore(&site.path, editor, store);
    }
    if !site.is_connected() {
        return Ok(DisconnectOutcome::NotConnected);
    }
    let text = site.without_own_entry()?;
    let originals = site.originals(&[ConfigEdit::Remove(site.entry_path())])?;
    record(&site.path, Some(bytes), Some(text.as_bytes()), originals, editor)?;
    file::replace(&site.path, Some(bytes), text.as_bytes())?;
    Ok(DisconnectOutcome::EntryRemoved)
}

/// Restores the original, regardless of the current content of the file.
pub(super) fn restore(
    path: &Path,
    editor: &ConfigEditor,
    store: &dyn Store,
) -> Result<DisconnectOutcome, ConfigError> {
    let Some(backup) = FileBackup::read(store, &client_key(path))? else {
        return Ok(DisconnectOutcome::NotConnected);
    };
    let bytes = file::read_bytes(path)?;
    record(path, bytes.as_deref(), backup.original.as_deref(), Vec::new(), editor)?;
    backup.restore(path, bytes.as_deref())?;
    let outcome = match backup.original {
        Some(_) => DisconnectOutcome::Restored,
        None => DisconnectOutcome::Removed,
    };
    FileBackup::delete(store, &client_key(path))?;
    Ok(outcome)
}
