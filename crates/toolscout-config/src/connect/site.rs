//! The file of a client that receives our entry, and its content.

use crate::backup::OriginalEntry;
use crate::edit::{self, ConfigEdit};
use crate::import::{
    self, ClientFile, ClientFolders, ClientFormat, KeyPath, OwnProgram, ScannedFile, ScannedServer,
};
use crate::{ConfigError, ConfigScope, DocumentError, file, write};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The current state of a client's file.
pub(super) struct ClientSite {
    pub(super) client: &'static ClientFormat,
    /// Its real path.
    pub(super) path: PathBuf,
    /// Its path as the client names it, and the project, if it is a file of the project.
    in_project: Option<(PathBuf, PathBuf)>,
    /// The name of our entry in it.
    pub(super) name: String,
    own: OwnProgram,
    scope: ConfigScope,
    pub(super) text: Option<String>,
    /// The keys that lead to the table of our entry, existing or new.
    pub(super) section: KeyPath,
    servers: Vec<ScannedServer>,
    entry: Option<Value>,
}

impl ClientSite {
    /// The client's file of this scope: the one that contains our entry, else the first that
    /// exists, else the first whose folder exists, else the first.
    pub(super) fn find(
        client: &'static ClientFormat,
        folders: &ClientFolders,
        scope: ConfigScope,
        own: &OwnProgram,
    ) -> Result<Self, ConfigError> {
        let files: Vec<_> =
            client.files(folders).into_iter().filter(|file| file.scope == scope).collect();
        let connected = files.iter().filter_map(|file| Self::read(client, file, folders, own).ok());
        if let Some(site) = connected.into_iter().find(Self::is_connected) {
            return Ok(site);
        }
        let has_folder = |file: &&ClientFile| file.path.parent().is_some_and(Path::is_dir);
        let chosen = files.iter().find(|file| file.path.is_file());
        let chosen = chosen.or_else(|| files.iter().find(has_folder)).or(files.first());
        let Some(chosen) = chosen else {
            let message = format!(
                "{} has no configuration file for the scope `{}`",
                client.title,
                scope.word()
            );
            return Err(ConfigError::invalid(message, format!("{} connect list", own.program)));
        };
        Self::read(client, chosen, folders, own)
    }

    pub(super) fn read(
        client: &'static ClientFormat,
        client_file: &ClientFile,
        folders: &ClientFolders,
        own: &OwnProgram,
    ) -> Result<Self, ConfigError> {
        let (path, scope) = (file::real_path(&client_file.path), client_file.scope);
        let broken = |reason: String| DocumentError { reason, position: None }.in_file(&path);
        let text = import::read(&path).map_err(broken)?;
        let document = import::parse(&path, text.as_deref().unwrap_or_default()).map_err(broken)?;
        let section = client.sections(&document, folders).into_iter().next().unwrap_or_default();
        let entry =
            import::table(&document, &section).and_then(|table| table.get(&own.program)).cloned();
        let servers = ScannedFile::read(client, &path, scope, document, folders).into_servers();
        Ok(Self {
            client,
            path,
            in_project: (scope == ConfigScope::Project)
                .then(|| (folders.project.clone(), client_file.path.clone())),
            name: own.program.clone(),
            own: own.clone(),
            scope,
            text,
            section,
            servers,
            entry,
        })
    }

    /// Refuses a file of the project that is a link out of it.
    pub(super) fn check_writable(&self) -> Result<(), ConfigError> {
        match &self.in_project {
            Some((project, path)) => write::check_within(project, path),
            None => Ok(()),
        }
    }

    /// The entry with our name, which may start another program.
    pub(super) fn entry(&self) -> Option<&Value> {
        self.entry.as_ref()
    }

    /// Whether the entry with our name starts this program.
    pub(super) fn is_connected(&self) -> bool {
        let found = self
            .servers
            .iter()
            .find(|server| server.name == self.name && server.section == self.section);
        let command = found.and_then(|server| server.entry.as_ref().ok()?.command.as_deref());
        command.is_some_and(|command| self.own.is_started_by(command))
    }

    /// The servers besides our own entry and these.
    pub(super) fn others(&self, moved: &[(KeyPath, String)]) -> Vec<String> {
        let is_own = |server: &ScannedServer| {
            let command = server.entry.as_ref().ok().and_then(|entry| entry.command.as_deref());
            command.is_some_and(|command| self.own.is_started_by(command))
        };
        let is_moved = |server: &ScannedServer| {
            moved.iter().any(|(section, name)| *section == server.section && *name == server.name)
        };
        let others = self.servers.iter().filter(|server| !is_own(server) && !is_moved(server));
        others.map(|server| server.name.clone()).collect()
    }

    /// The text with these edits, everything else unchanged.
    pub(super) fn edited(&self, changes: &[ConfigEdit]) -> Result<String, ConfigError> {
        edit::edited_text(&self.path, self.text.as_deref().unwrap_or_default(), &|_| {
            Ok(changes.to_vec())
        })
    }

    /// The current values of the entries that these edits change.
    pub(super) fn originals(
        &self,
        changes: &[ConfigEdit],
    ) -> Result<Vec<OriginalEntry>, ConfigError> {
        let broken = |reason: String| DocumentError { reason, position: None }.in_file(&self.path);
        let text = self.text.as_deref().unwrap_or_default();
        let document = import::parse(&self.path, text).map_err(broken)?;
        Ok(document.as_object().map(|map| edit::originals(map, changes)).unwrap_or_default())
    }

    /// The keys that lead to our entry.
    pub(super) fn entry_path(&self) -> Vec<String> {
        entry_path(&self.section, &self.name)
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.text.as_deref().map(str::as_bytes)
    }

    /// The text without our entry, which must exist.
    pub(super) fn without_own_entry(&self) -> Result<String, ConfigError> {
        self.edited(&[ConfigEdit::Remove(self.entry_path())])
    }

    /// The file in the form that an import uses.
    pub(super) fn into_scanned_file(self) -> ScannedFile {
        ScannedFile::with_servers(self.client, self.path, self.scope, self.servers)
    }
}

/// The keys that lead to an entry.
pub(super) fn entry_path(section: &KeyPath, name: &str) -> Vec<String> {
    section.iter().cloned().chain([name.to_owned()]).collect()
}
