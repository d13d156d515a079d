//! Plans the changes of connecting or disconnecting a client without writing, then applies them.

use super::connection::{self, ClientEdit, DisconnectOutcome};
use super::site::ClientSite;
use crate::backup::{FileBackup, client_key};
use crate::import::{
    self, CLIENTS, ClientFile, ClientFolders, ClientFormat, ClientScan, ImportPlan, ImportPlanner,
    ImportTarget, LaunchCommand, OwnProgram, PlannedFile, SecretHandling,
};
use crate::{Config, ConfigEditor, ConfigError, ConfigScope, file};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolscout_core::{SourceId, Store};

/// The client to connect or disconnect, and the location of its files.
#[derive(Clone, Copy)]
pub struct ClientTarget<'a> {
    /// The client.
    pub client: &'static ClientFormat,
    /// Whether its project file or its user file is used.
    pub scope: ConfigScope,
    /// The folders in which clients store their files.
    pub folders: &'a ClientFolders,
    /// How our own entry is recognized.
    pub own: &'a OwnProgram,
}

impl ClientTarget<'_> {
    fn site(&self) -> Result<ClientSite, ConfigError> {
        ClientSite::find(self.client, self.folders, self.scope, self.own)
    }

    /// Plans to move the client's servers into our configuration of the same scope.
    fn plan_moves(
        &self,
        secrets: SecretHandling,
        config: &Config,
    ) -> Result<ImportPlan, ConfigError> {
        let target = ImportTarget::new(config, self.scope)?;
        // Compared with this file only: other files may not apply wherever this one does.
        let existing = target.own()?;
        let scan =
            ClientScan { files: vec![self.site()?.into_scanned_file()], missing: Vec::new() };
        Ok(ImportPlanner::new(vec![(target, existing)], None, secrets, self.own).plan_all(scan))
    }
}

/// The changes that `connect` would write.
#[derive(Serialize)]
pub struct ConnectPlan {
    /// The client's display name.
    pub title: &'static str,
    /// The client's file.
    pub path: PathBuf,
    /// Our entry, nested below the keys that lead to it.
    pub document: Value,
    /// The client's servers that move into our own configuration, if that was requested.
    pub moves: Option<ImportPlan>,
    /// The client's other servers, which stay in its file.
    pub others: Vec<String>,
    /// The edited file; `None` if nothing would change.
    #[serde(skip)]
    edit: Option<ClientEdit>,
    #[serde(skip)]
    site: ClientSite,
}

impl ConnectPlan {
    /// Plans to write our entry into the file of a client, and to move its other servers into our
    /// configuration if `secrets` says how their secrets are handled.
    pub fn new(
        target: ClientTarget<'_>,
        launch: &LaunchCommand,
        secrets: Option<SecretHandling>,
        config: &Config,
    ) -> Result<Self, ConfigError> {
        let site = target.site()?;
        let entry = target.client.own_entry(launch, &site.section);
        let moves = secrets.map(|secrets| target.plan_moves(secrets, config)).transpose()?;
        let moved: Vec<_> =
            moves.iter().flat_map(|plan| &plan.files).flat_map(PlannedFile::moved).collect();
        let others = site.others(&moved);
        let edit = connection::prepare(&site, &entry, &moved)?;
        let document = site
            .section
            .iter()
            .rev()
            .fold(json!({&site.name: entry}), |inner, key| json!({key: inner}));
        Ok(Self {
            title: target.client.title,
            path: site.path.clone(),
            document,
            moves,
            others,
            edit,
            site,
        })
    }

    /// The number of servers that move, and the file that they move to; `None` if none do.
    pub fn moved_servers(&self) -> Option<(usize, &Path)> {
        let plan = self.moves.as_ref()?;
        let count = plan.files.iter().map(|file| file.moved().len()).sum();
        Some((count, plan.targets.first()?.file.as_path())).filter(|(count, _)| *count > 0)
    }

    /// Whether the client is already connected, so that nothing would change.
    pub fn changes_nothing(&self) -> bool {
        self.edit.is_none()
    }

    /// Writes the files, and returns the ids of the servers that moved.
    pub fn apply(
        &self,
        editor: &ConfigEditor,
        store: &dyn Store,
    ) -> Result<Vec<SourceId>, ConfigError> {
        let Some(edit) = &self.edit else { return Ok(Vec::new()) };
        // Added to our file first: if the second write fails, no server is lost.
        let added = self.moves.as_ref().map(|moves| import::apply(moves, editor)).transpose()?;
        connection::connect(&self.site, edit, editor, store)?;
        Ok(added.unwrap_or_default())
    }
}

/// The changes that `disconnect` would write.
pub struct DisconnectPlan {
    /// The client's file.
    path: PathBuf,
    /// The client's file with our entry; `None` if the whole file is restored from its backup, even
    /// if it can no longer be parsed.
    site: Option<ClientSite>,
}

impl DisconnectPlan {
    /// Plans to remove our entry; with `restore_original`, to restore the original file if there is a backup.
    pub fn new(
        target: ClientTarget<'_>,
        restore_original: bool,
        store: &dyn Store,
    ) -> Result<Self, ConfigError> {
        let files = target
            .client
            .files(target.folders)
            .into_iter()
            .filter(|file| file.scope == target.scope && restore_original);
        for path in files.map(|file| file::real_path(&file.path)) {
            if FileBackup::read(store, &client_key(&path))?.is_some() {
                return Ok(Self { path, site: None });
            }
        }
        let site = target.site()?;
        Ok(Self { path: site.path.clone(), site: Some(site) })
    }

    /// The client's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file.
    pub fn apply(
        &self,
        editor: &ConfigEditor,
        store: &dyn Store,
    ) -> Result<DisconnectOutcome, ConfigError> {
        match &self.site {
            None => connection::restore(&self.path, editor, store),
            Some(site) => connection::disconnect(site, editor, store),
        }
    }
}

/// A client, or one of its existing files.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct ClientStatus {
    /// The client's name on the command line.
    pub client: &'static str,
    /// The client's name in messages.
    pub title: &'static str,
    /// `connected`, `found`, `broken` or `not found`.
    pub state: &'static str,
    /// The scope of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ConfigScope>,
    /// The path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The number of other servers in the file.
    pub servers: usize,
}

/// The files of all clients, and whether they contain our entry.
pub fn client_status(folders: &ClientFolders, own: &OwnProgram) -> Vec<ClientStatus> {
    CLIENTS.iter().flat_map(|client| file_statuses(client, folders, own)).collect()
}

fn file_statuses(
    client: &'static ClientFormat,
    folders: &ClientFolders,
    own: &OwnProgram,
) -> Vec<ClientStatus> {
    let status = |file: ClientFile| {
        let site = ClientSite::read(client, &file, folders, own);
        let state = match &site {
            Ok(site) if site.is_connected() => "connected",
            Ok(_) => "found",
            Err(_) => "broken",
        };
        ClientStatus {
            client: client.name,
            title: client.title,
            state,
            scope: Some(file.scope),
            path: Some(file.path),
            servers: site.map_or(0, |site| site.others(&[]).len()),
        }
    };
    let found: Vec<_> =
        client.files(folders).into_iter().filter(|file| file.path.is_file()).map(status).collect();
    if found.is_empty() {
        return vec![ClientStatus {
            client: client.name,
            title: client.title,
            state: "not found",
            scope: None,
            path: None,
            servers: 0,
        }];
    }
    found
}
