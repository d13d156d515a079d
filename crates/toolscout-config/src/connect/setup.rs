//! Plans the first setup without writing: the servers of all clients move into our configuration,
//! and the clients are connected.

use super::connection::{self, ClientEdit};
use super::site::ClientSite;
use crate::import::{
    self, ClientFile, ClientFolders, ClientFormat, ImportPlan, ImportRequest, LaunchCommand,
    OwnProgram, PlannedFile, SecretHandling, ServerSelection,
};
use crate::{Config, ConfigEditor, ConfigError, ConfigScope};
use std::path::PathBuf;
use toolscout_core::{SourceId, Store};

/// Which clients and servers to set up.
pub struct SetupRequest<'a> {
    /// The clients; all whose files are found if empty.
    pub clients: Vec<&'static ClientFormat>,
    /// Only these servers; all if `None`. If so, a client without any of them is connected only if
    /// it is listed in `clients`.
    pub only: Option<Vec<ServerSelection>>,
    /// How secrets are handled.
    pub secrets: SecretHandling,
    /// Whether the clients are connected, and their servers removed from their files.
    pub connect: bool,
    /// The folders in which clients store their files.
    pub folders: &'a ClientFolders,
    /// Our own program.
    pub own: &'a OwnProgram,
}

/// The planned setup.
pub struct SetupPlan {
    /// The servers that are added to our configuration.
    pub import: ImportPlan,
    /// The files of clients that are changed, or would be.
    pub clients: Vec<PlannedClient>,
}

/// The file of a client that is to be connected.
pub struct PlannedClient {
    pub client: &'static ClientFormat,
    pub path: PathBuf,
    pub action: ConnectAction,
    /// The names of its servers that are removed from it, because toolscout has them.
    pub moved: Vec<String>,
    edit: Option<(ClientSite, ClientEdit)>,
}

/// What happens to the file of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectAction {
    /// Our entry is written.
    Connect,
    /// It is already connected, and has no other servers.
    Unchanged,
    /// It is left alone, for this reason.
    Skip(String),
}

impl SetupPlan {
    /// Plans the setup. `launch` is the command that a client runs to start us.
    pub fn new(
        request: SetupRequest<'_>,
        launch: &dyn Fn(&ClientFormat) -> Result<LaunchCommand, ConfigError>,
        config: &Config,
    ) -> Result<Self, ConfigError> {
        let SetupRequest { clients, only, secrets, connect, folders, own } = request;
        let selects_servers = only.is_some();
        let import = ImportRequest {
            clients: clients.clone(),
            file: None,
            only,
            scope: None,
            secrets,
            folders,
            own,
        };
        let import = import::plan(import, config)?;
        let mut planned = Vec::new();
        let user_files = import.files.iter().filter(|file| file.scope == ConfigScope::User);
        for file in user_files.filter(|_| connect) {
            let moved = file.moved();
            let is_listed = || clients.iter().any(|listed| listed.name == file.client.name);
            if selects_servers && moved.is_empty() && !is_listed() {
                continue;
            }
            let path = file.path.clone();
            let site = ClientFile { path, scope: file.scope, is_native: false };
            let site = ClientSite::read(file.client, &site, folders, own);
            planned.push(PlannedClient::new(file, site, launch));
        }
        // A client that the user lists may not have a file yet.
        for client in clients.into_iter().filter(|_| connect) {
            if planned.iter().all(|other| other.client.name != client.name) {
                let site = ClientSite::find(client, folders, ConfigScope::User, own)?;
                planned.push(PlannedClient::new_file(client, site, launch)?);
            }
        }
        Ok(Self { import, clients: planned })
    }

    /// Whether nothing would be written.
    pub fn changes_nothing(&self) -> bool {
        self.import.additions().next().is_none() && self.connected().next().is_none()
    }

    /// The clients that are connected by this plan.
    pub fn connected(&self) -> impl Iterator<Item = &PlannedClient> {
        self.clients.iter().filter(|client| client.action == ConnectAction::Connect)
    }

    /// Writes the files, and returns the ids of the added servers. A client whose file cannot be
    /// written is skipped with the reason, and keeps its servers.
    pub fn apply(
        &mut self,
        editor: &ConfigEditor,
        store: &dyn Store,
    ) -> Result<Vec<SourceId>, ConfigError> {
        // Added to our files first: if a later write fails, no server is lost.
        let added = import::apply(&self.import, editor)?;
        for client in &mut self.clients {
            let Some((site, edit)) = &client.edit else { continue };
            if let Err(error) = connection::connect(site, edit, editor, store) {
                client.moved.clear();
                client.action = ConnectAction::Skip(error.to_string());
            }
        }
        Ok(added)
    }
}

impl PlannedClient {
    fn new(
        file: &PlannedFile,
        site: Result<ClientSite, ConfigError>,
        launch: &dyn Fn(&ClientFormat) -> Result<LaunchCommand, ConfigError>,
    ) -> Self {
        let moved = file.moved();
        let edit = site.and_then(|site| {
            let entry = file.client.own_entry(&launch(file.client)?, &site.section);
            Ok(connection::prepare(&site, &entry, &moved)?.map(|edit| (site, edit)))
        });
        let (action, edit) = match edit {
            Ok(Some(edit)) => (ConnectAction::Connect, Some(edit)),
            Ok(None) => (ConnectAction::Unchanged, None),
            Err(error) => (ConnectAction::Skip(error.to_string()), None),
        };
        let moved = if edit.is_some() { moved } else { Vec::new() };
        Self {
            client: file.client,
            path: file.path.clone(),
            action,
            moved: moved.into_iter().map(|(_, name)| name).collect(),
            edit,
        }
    }

    /// A client without a file, or whose file has no servers.
    fn new_file(
        client: &'static ClientFormat,
        site: ClientSite,
        launch: &dyn Fn(&ClientFormat) -> Result<LaunchCommand, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let entry = client.own_entry(&launch(client)?, &site.section);
        let (path, edit) = (site.path.clone(), connection::prepare(&site, &entry, &[])?);
        let action = if edit.is_some() { ConnectAction::Connect } else { ConnectAction::Unchanged };
        Ok(Self { client, path, action, moved: Vec::new(), edit: edit.map(|edit| (site, edit)) })
    }
}
