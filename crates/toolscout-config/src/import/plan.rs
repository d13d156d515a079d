//! Decides for every server found: added, already present, or skipped with a reason.

use super::scan::{ClientScan, ScannedContent, ScannedServer};
use super::secrets::{PreparedEntry, SecretHandling, SecretNames};
use super::{
    CLIENTS, ClientFolders, ClientFormat, ExistingServers, ImportTarget, KeyPath, OwnProgram,
};
use crate::{Config, ConfigEditor, ConfigError, ConfigScope, ServerEntry};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toolscout_core::{SourceId, escape};

/// Which servers to import, from which files, and into which file.
pub struct ImportRequest<'a> {
    /// The clients whose files are read; all if empty.
    pub clients: Vec<&'static ClientFormat>,
    /// Reads this file instead; its client is guessed.
    pub file: Option<&'a Path>,
    /// Only these servers; all if `None`.
    pub only: Option<Vec<ServerSelection>>,
    /// The file that servers go into: the project's or the user's. If omitted, servers of a user's
    /// file go into the user's file, and servers of a project's file into the project's.
    pub scope: Option<ConfigScope>,
    /// How secrets are handled.
    pub secrets: SecretHandling,
    /// The folders in which clients store their files.
    pub folders: &'a ClientFolders,
    /// Our own program, whose entry is never imported.
    pub own: &'a OwnProgram,
}

/// A server by its name, and its id in our configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSelection {
    /// `NAME`, or `CLIENT/NAME` if only the server of this client is meant.
    pub name: String,
    pub id: Option<SourceId>,
}

impl FromStr for ServerSelection {
    type Err = ConfigError;

    /// `NAME`, `CLIENT/NAME`, or either with `=ID`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let Some((name, id)) = text.split_once('=') else {
            return Ok(Self { name: text.to_owned(), id: None });
        };
        let id = SourceId::new(id).map_err(|error| {
            ConfigError::invalid(error.to_string(), format!("--only '{name}={}'", error.nearest))
        })?;
        Ok(Self { name: name.to_owned(), id: Some(id) })
    }
}

/// The planned action for every server found. Serializes as a preview without secrets.
pub struct ImportPlan {
    pub files: Vec<PlannedFile>,
    /// Paths that were checked and do not exist.
    pub missing: Vec<PathBuf>,
    /// Our files to which servers are added.
    pub targets: Vec<ImportTarget>,
}

/// Plans an import. Reads files, and writes none.
pub fn plan(request: ImportRequest<'_>, config: &Config) -> Result<ImportPlan, ConfigError> {
    let scope = request.scope.unwrap_or(ConfigScope::Project);
    let mut scan = match request.file {
        Some(file) => ClientScan::read_file(file, scope, request.folders).map_err(|reason| {
            ConfigError::invalid(
                format!("`{}` cannot be imported: {reason}", file.display()),
                "pass a file with `mcpServers`, `servers`, `mcp`, `context_servers` or `mcp_servers`",
            )
        })?,
        None if request.clients.is_empty() => ClientScan::read_clients(&CLIENTS, request.folders),
        None => ClientScan::read_clients(request.clients, request.folders),
    };
    if let Some(scope) = request.scope {
        scan.files.iter_mut().for_each(|file| file.scope = scope);
    }
    let only = request.only.as_deref();
    let plan = plan_scan(scan, only, request.secrets, request.own, config)?;
    let is_found = |only: &&ServerSelection| {
        plan.files
            .iter()
            .any(|file| file.servers.iter().any(|server| only.selects(file.client, &server.name)))
    };
    match only.unwrap_or_default().iter().find(|item| !is_found(item)) {
        Some(missing) => Err(ConfigError::NotFound {
            message: format!("no server `{}` found to import", escape::line(&missing.name)),
            hint: "run `toolscout import` to see all servers".to_owned(),
        }),
        None => Ok(plan),
    }
}

/// Plans what to do with all servers of a scan.
fn plan_scan(
    scan: ClientScan,
    only: Option<&[ServerSelection]>,
    secrets: SecretHandling,
    own: &OwnProgram,
    config: &Config,
) -> Result<ImportPlan, ConfigError> {
    let mut targets = Vec::new();
    for scope in [ConfigScope::User, ConfigScope::Project] {
        if scan.files.iter().any(|file| file.scope == scope) {
            let target = ImportTarget::new(config, scope)?;
            let existing = target.existing(config)?;
            targets.push((target, existing));
        }
    }
    Ok(ImportPlanner::new(targets, only, secrets, own).plan_all(scan))
}

/// Applies the plan: stores secrets first, then adds the servers, in one edit for each file. Returns
/// the ids of the added servers.
pub fn apply(plan: &ImportPlan, editor: &ConfigEditor) -> Result<Vec<SourceId>, ConfigError> {
    for (_, prepared) in plan.additions() {
        prepared.secrets.iter().try_for_each(|secret| secret.store(editor))?;
    }
    plan.targets.iter().try_for_each(|target| target.add_all(editor, plan))?;
    Ok(plan.additions().map(|(id, _)| id.clone()).collect())
}

impl ServerSelection {
    /// Parses all, in their order.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, ConfigError> {
        texts.iter().map(|text| text.parse()).collect()
    }

    fn selects(&self, client: &ClientFormat, name: &str) -> bool {
        let is_name = |text: &str| text == name || text == nearest_id(name).as_str();
        let of_client = self.name.split_once('/').filter(|(prefix, _)| *prefix == client.name);
        is_name(&self.name) || of_client.is_some_and(|(_, text)| is_name(text))
    }
}

pub struct PlannedFile {
    pub client: &'static ClientFormat,
    pub path: PathBuf,
    /// The scope of our file that its servers are added to.
    pub scope: ConfigScope,
    /// The reason why no server is read from it, if so.
    pub skip_reason: Option<String>,
    pub servers: Vec<PlannedServer>,
}

pub struct PlannedServer {
    /// Its name in the client's file.
    pub name: String,
    pub section: KeyPath,
    pub action: ImportAction,
    pub notes: Vec<String>,
}

pub enum ImportAction {
    /// It is added under this id.
    Add {
        id: SourceId,
        prepared: Box<PreparedEntry>,
    },
    /// It is already present, or will be.
    Same {
        id: String,
    },
    Skip {
        reason: String,
        hint: Option<String>,
    },
}

impl ImportPlan {
    pub fn servers(&self) -> impl Iterator<Item = &PlannedServer> {
        self.files.iter().flat_map(|file| &file.servers)
    }

    /// The servers to add, in the order found.
    pub fn additions(&self) -> impl Iterator<Item = (&SourceId, &PreparedEntry)> {
        self.files.iter().flat_map(PlannedFile::additions)
    }

    /// The file that the servers of this scope are added to.
    pub fn target(&self, scope: ConfigScope) -> Option<&ImportTarget> {
        self.targets.iter().find(|target| target.scope == scope)
    }

    /// The files that servers are added to.
    pub fn changed_files(&self) -> Vec<&Path> {
        let adds = |file: &PlannedFile| file.additions().next().is_some();
        let is_changed = |target: &&ImportTarget| {
            self.files.iter().any(|file| file.scope == target.scope && adds(file))
        };
        self.targets.iter().filter(is_changed).map(|target| target.file.as_path()).collect()
    }
}

impl PlannedFile {
    /// The servers that can be removed from this file once the plan is applied.
    pub fn moved(&self) -> Vec<(KeyPath, String)> {
        let is_moved =
            |server: &&PlannedServer| !matches!(server.action, ImportAction::Skip { .. });
        let moved = self.servers.iter().filter(is_moved);
        moved.map(|moved| (moved.section.clone(), moved.name.clone())).collect()
    }

    /// The servers to add, in the order found.
    pub fn additions(&self) -> impl Iterator<Item = (&SourceId, &PreparedEntry)> {
        self.servers.iter().filter_map(|server| match &server.action {
            ImportAction::Add { id, prepared } => Some((id, &**prepared)),
            _ => None,
        })
    }
}

pub(crate) struct ImportPlanner<'a> {
    /// Our files, each with the servers that it must not repeat.
    targets: Vec<(ImportTarget, ExistingServers)>,
    only: Option<&'a [ServerSelection]>,
    secrets: SecretHandling,
    own: &'a OwnProgram,
    planned: ExistingServers,
    names: SecretNames,
}

impl<'a> ImportPlanner<'a> {
    pub(crate) fn new(
        targets: Vec<(ImportTarget, ExistingServers)>,
        only: Option<&'a [ServerSelection]>,
        secrets: SecretHandling,
        own: &'a OwnProgram,
    ) -> Self {
        let (planned, names) = (ExistingServers::new(), SecretNames::default());
        Self { targets, only, secrets, own, planned, names }
    }

    pub(crate) fn plan_all(mut self, scan: ClientScan) -> ImportPlan {
        let mut files = Vec::new();
        for file in scan.files {
            let (servers, skip_reason) = match file.content {
                ScannedContent::Native => (
                    Vec::new(),
                    Some("toolscout reads this file directly: nothing to import".to_owned()),
                ),
                ScannedContent::Broken(reason) => {
                    (Vec::new(), Some(format!("cannot be read: {reason}")))
                }
                ScannedContent::Servers(servers) if servers.is_empty() => {
                    (servers, Some("no servers".to_owned()))
                }
                ScannedContent::Servers(servers) => (servers, None),
            };
            let (client, path, scope) = (file.client, file.path, file.scope);
            let servers =
                servers.into_iter().filter_map(|server| self.plan(server, client, scope)).collect();
            files.push(PlannedFile { client, path, scope, skip_reason, servers });
        }
        let targets = self.targets.into_iter().map(|(target, _)| target).collect();
        ImportPlan { files, missing: scan.missing, targets }
    }

    /// The entry with the same working directory, independent of the file it is written to.
    fn with_absolute_cwd(mut entry: ServerEntry, target: &ImportTarget) -> ServerEntry {
        let is_relative = |text: &str| {
            Path::new(text).is_relative() && !text.starts_with(['$', '~']) && !text.contains(':')
        };
        let ImportTarget { base, project, .. } = target;
        if let Some(cwd) = entry.cwd.as_mut().filter(|cwd| base != project && is_relative(cwd)) {
            *cwd = project.join(&*cwd).display().to_string();
        }
        entry
    }

    /// Plans one server; `None` if it is not selected.
    fn plan(
        &mut self,
        found: ScannedServer,
        client: &ClientFormat,
        scope: ConfigScope,
    ) -> Option<PlannedServer> {
        let default_id = nearest_id(&found.name);
        let id = match self.only {
            None => None,
            Some(only) => only.iter().find(|item| item.selects(client, &found.name))?.id.clone(),
        };
        let mut notes = found.notes;
        let action = match found.entry {
            Err(reason) => ImportAction::Skip { reason, hint: None },
            Ok(entry)
                if entry
                    .command
                    .as_deref()
                    .is_some_and(|command| self.own.is_started_by(command)) =>
            {
                ImportAction::Skip { reason: "it is this program itself".to_owned(), hint: None }
            }
            Ok(entry) => self.action(entry, &found.name, id.unwrap_or(default_id), scope),
        };
        match &action {
            ImportAction::Add { prepared, .. } => notes.extend(prepared.notes.iter().cloned()),
            ImportAction::Same { .. } | ImportAction::Skip { .. } => notes.clear(),
        }
        Some(PlannedServer { name: found.name, section: found.section, action, notes })
    }

    fn action(
        &mut self,
        entry: ServerEntry,
        name: &str,
        id: SourceId,
        scope: ConfigScope,
    ) -> ImportAction {
        let Some((target, existing)) = self.targets.iter().find(|(it, _)| it.scope == scope) else {
            let reason = "there is no file for its scope".to_owned();
            return ImportAction::Skip { reason, hint: None };
        };
        let entry = Self::with_absolute_cwd(entry, target);
        let prepared = self.secrets.apply(entry, id.as_str(), &target.file, &mut self.names);
        let mut known = existing.iter().chain(&self.planned);
        if let Some((id, _)) = known.find(|(_, entry)| {
            entry.as_ref().is_some_and(|entry| is_same(entry, &prepared.entry, &target.base))
        }) {
            return ImportAction::Same { id: id.clone() };
        }
        if existing.contains_key(id.as_str()) {
            let available_id = self.available_id(&id);
            return ImportAction::Skip {
                reason: format!("`{id}` is already configured differently"),
                hint: Some(format!(
                    "use --only '{name}={available_id}' to import it under another id"
                )),
            };
        }
        let id = self.available_id(&id);
        self.planned.insert(id.as_str().to_owned(), Some(prepared.entry.clone()));
        ImportAction::Add { id, prepared: Box::new(prepared) }
    }

    /// The id, with a number appended if it is taken or reserved.
    fn available_id(&self, id: &SourceId) -> SourceId {
        let is_free = |id: &SourceId| {
            let taken = |map: &ExistingServers| map.contains_key(id.as_str());
            !self.targets.iter().any(|(_, existing)| taken(existing))
                && !taken(&self.planned)
                && !SourceId::RESERVED.contains(&id.as_str())
        };
        let numbered = (2..10_000).filter_map(|number: u32| {
            let stem: String = id.as_str().chars().take(27).collect();
            SourceId::new(&format!("{}-{number}", stem.trim_end_matches(['-', '_']))).ok()
        });
        [id.clone()].into_iter().chain(numbered).find(is_free).unwrap_or_else(|| id.clone())
    }
}

/// The name as an id, or the nearest valid id.
pub(super) fn nearest_id(name: &str) -> SourceId {
    SourceId::new(name)
        .or_else(|error| SourceId::new(&error.nearest))
        .unwrap_or_else(|_| SourceId::app())
}

/// Whether both start the same server in the same way; policies are not compared.
fn is_same(one: &ServerEntry, other: &ServerEntry, base: &Path) -> bool {
    let cwd = |entry: &ServerEntry| entry.cwd.as_deref().map(|cwd| base.join(cwd));
    let is_sse = |entry: &ServerEntry| entry.kind.as_deref() == Some("sse");
    one.command == other.command
        && one.args == other.args
        && one.env == other.env
        && cwd(one) == cwd(other)
        && one.url == other.url
        && one.headers == other.headers
        && one.bearer == other.bearer
        && is_sse(one) == is_sse(other)
}
