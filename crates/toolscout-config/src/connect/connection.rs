//! Adds our entry to a client's file and removes it again.

use super::site::{self, ClientSite};
use crate::ConfigError;
use crate::edit::ConfigEdit;
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
    WasNot,
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
    site.changed(&changes).map(Some)
}

/// Writes the prepared text, after a backup of the current file.
pub(super) fn connect(site: &ClientSite, text: &str, store: &dyn Store) -> Result<(), ConfigError> {
    backup(site, text, store)?.keep(store, &site.path)?;
    file::replace(&site.path, site.bytes(), text.as_bytes())
}

/// The backup to restore on disconnect.
fn backup(site: &ClientSite, text: &str, store: &dyn Store) -> Result<FileBackup, ConfigError> {
    let written = Digest::of_bytes(text.as_bytes());
    let earlier = FileBackup::read(store, &site.path)?;
    match (earlier, site.bytes()) {
        // Connected before and unchanged since: the original is that of the earlier backup.
        (Some(earlier), Some(bytes)) if earlier.is_untouched(bytes) => {
            Ok(FileBackup { written, ..earlier })
        }
        // Changed since, or connected by hand: the original is the current file without our entry.
        (_, Some(_)) if site.entry().is_some() => {
            let original = Some(site.without_us()?.into_bytes());
            Ok(FileBackup { original, written, folders: Vec::new() })
        }
        (_, bytes) => {
            let folders = file::missing_folders(&site.path);
            Ok(FileBackup { original: bytes.map(<[u8]>::to_vec), written, folders })
        }
    }
}

/// Removes our entry from the file. If the original is not restored, its backup is kept, because
/// the user may still need it.
pub(super) fn disconnect(
    site: &ClientSite,
    store: &dyn Store,
) -> Result<DisconnectOutcome, ConfigError> {
    let Some(bytes) = site.bytes() else { return Ok(DisconnectOutcome::WasNot) };
    if FileBackup::read(store, &site.path)?.is_some_and(|it| it.is_untouched(bytes)) {
        return put_back(&site.path, store);
    }
    if !site.is_connected() {
        return Ok(DisconnectOutcome::NotConnected);
    }
    file::replace(&site.path, Some(bytes), site.without_us()?.as_bytes())?;
    Ok(DisconnectOutcome::OnlyOurs)
}

/// Restores the original, regardless of the current content of the file.
pub(super) fn put_back(path: &Path, store: &dyn Store) -> Result<DisconnectOutcome, ConfigError> {
    let Some(backup) = FileBackup::read(store, path)? else { return Ok(DisconnectOutcome::WasNot) };
    let bytes = file::bytes(path)?;
    let done = match (&backup.original, &bytes) {
        (Some(original), _) => {
            file::replace(path, bytes.as_deref(), original)?;
            DisconnectOutcome::Restored
        }
        (None, Some(bytes)) => {
            file::remove(path, bytes, &backup.folders)?;
            DisconnectOutcome::Removed
        }
        (None, None) => DisconnectOutcome::Removed,
    };
    FileBackup::forget(store, path)?;
    Ok(done)
}
