//! The configuration of a run, merged from all files.

use crate::document::Document;
use crate::entry::ServerEntry;
use crate::error::ConfigError;
use crate::files::{self, ConfigFile, ConfigScope};
use crate::policies::{self, combined_mode};
use crate::profiles::{self, Profile, ProfileEntry};
use crate::section::{self, SectionError, UnknownKey};
use crate::servers::{ConfiguredServer, ServerCollector};
use crate::settings::{FleetTable, JwtSettings, SandboxTable, Settings, TelemetrySettings};
use crate::stamps::FileStamps;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::authorization::Policy;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, ToolPatterns, nearest};
use toolscout_mcp_client::{ConfigText, ReferenceLookup, fleet_partition, partition};

/// The tables of our own files that are not merged setting by setting.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct FileSections {
    /// Policy of tools that match no pattern.
    #[schemars(with = "Option<String>", extend("enum" = Policy::ALL.map(Policy::as_str), "default" = "allow"))]
    default_policy: Option<Policy>,
    /// Policy mode. `read-only` allows only calls of read-only tools; `allow-all` ignores `ask` and `deny`, and is allowed only in the
    /// user configuration. The stricter mode of both files applies.
    #[schemars(with = "Option<String>", extend("enum" = ["normal", "read-only", "allow-all"], "default" = "normal"))]
    mode: Option<PolicyMode>,
    /// Policies by pattern: `source/tool`, `source/*` or `*`. A project can only make the user's policies stricter.
    policies: BTreeMap<String, String>,
    /// Patterns of tools that agents see in the tool list, in addition to search. Both files apply.
    listed: Vec<String>,
    /// Named subsets of the tools, for `toolscout serve --profile NAME`.
    #[schemars(with = "BTreeMap<String, ProfileEntry>")]
    profiles: Map<String, Value>,
    /// MCP servers, by id. `mcpServers` is another name for this table.
    #[schemars(with = "BTreeMap<String, ServerEntry>")]
    #[serde(rename = "servers")]
    _servers: IgnoredAny,
    /// For editors; ignored.
    #[schemars(skip)]
    #[serde(rename = "$schema")]
    _schema: IgnoredAny,
}

/// The folder of stored secrets, in the folder of the user's configuration.
pub const SECRETS_FOLDER: &str = "secrets";

/// The configuration of a run.
#[derive(Debug, Default)]
pub struct Config {
    /// The working folder of the run.
    pub folder: PathBuf,
    /// The project root, if an ancestor of the folder is one.
    pub root: Option<PathBuf>,
    /// The folder of the user's own configuration, if known.
    pub user_folder: Option<PathBuf>,
    pub settings: Settings,
    /// In configuration order, the project's first; includes disabled servers.
    pub servers: Vec<ConfiguredServer>,
    /// The user's policies.
    pub user_rules: PolicyRules,
    /// The project's policies, which may only tighten those of the user.
    pub project_rules: PolicyRules,
    pub mode: PolicyMode,
    /// The tools that agents see without searching, in addition to those their source lists.
    pub listed: ToolPatterns,
    /// In configuration order.
    pub profiles: Vec<Profile>,
    /// Diagnostics about the files.
    pub diagnostics: Vec<Diagnostic>,
    /// All files that were read, highest precedence first.
    pub files: Vec<PathBuf>,
    /// The state of all candidate files, existing or not, just before they were read.
    pub stamps: FileStamps,
}

/// The locations of a run's configuration, and how its references are resolved.
pub struct ConfigLocations<'a> {
    /// The working folder of the run.
    pub folder: PathBuf,
    /// The root of the project that contains the folder, if there is one.
    pub project: Option<PathBuf>,
    /// The folder of the user's own configuration.
    pub user: Option<PathBuf>,
    /// Resolves references to variables, files and the keyring.
    pub lookup: ReferenceLookup,
    /// Whether the user trusts the project. Called at most once, and only if the project has servers.
    pub is_trusted: &'a dyn Fn(&Path) -> bool,
}

impl Config {
    /// Reads all configuration files. One invalid entry is a diagnostic; a file that cannot be
    /// parsed is an error.
    pub fn load(locations: &ConfigLocations<'_>) -> Result<Self, ConfigError> {
        let ConfigLocations { folder, project, user, lookup, is_trusted } = locations;
        if !folder.is_dir() {
            let message = format!("`{}` is not a folder", folder.display());
            return Err(ConfigError::invalid(message, "pass an existing folder with --project"));
        }
        let (project, user) = (project.as_deref(), user.as_deref());
        let trusted = OnceCell::new();
        let is_trusted = || *trusted.get_or_init(|| project.is_some_and(is_trusted));
        let stamps = FileStamps::record(files::candidates(project, user));
        let mut diagnostics = Vec::new();
        let files = ConfigFile::read_all(project, user, &mut diagnostics)?;
        let mut read = Self::read_files(files, project, lookup.clone(), &is_trusted)?;
        read.diagnostics.splice(0..0, diagnostics);
        let (root, user_folder) = (project.map(Path::to_owned), user.map(Path::to_owned));
        Ok(Self { folder: folder.clone(), root, user_folder, stamps, ..read })
    }

    /// The project root; outside of a project, the folder itself.
    pub fn project_folder(&self) -> &Path {
        self.root.as_deref().unwrap_or(&self.folder)
    }

    /// Identifies the project in keys of the store: by its name in the fleet, else by its folder.
    pub fn partition(&self) -> String {
        match &self.settings.fleet {
            FleetTable { database: Some(_), project: Some(name), .. } => fleet_partition(name),
            _ => partition(self.project_folder()),
        }
    }

    /// Our own file that edits of this scope go to. It may not exist yet.
    pub fn own_file(&self, scope: ConfigScope) -> Result<PathBuf, ConfigError> {
        match (scope, &self.user_folder) {
            (ConfigScope::Project, _) => Ok(files::own_path(self.project_folder(), "toolscout")),
            (ConfigScope::User, Some(folder)) => Ok(files::own_path(folder, "config")),
            (ConfigScope::User, None) => Err(ConfigError::no_user_folder()),
        }
    }

    /// The folder with stored secrets, one file each.
    pub fn secrets_folder(&self) -> Result<PathBuf, ConfigError> {
        let folder = self.user_folder.as_ref().map(|folder| folder.join(SECRETS_FOLDER));
        folder.ok_or_else(ConfigError::no_user_folder)
    }

    /// The server with this id.
    pub fn server(&self, id: &str) -> Option<&ConfiguredServer> {
        self.servers.iter().find(|server| server.server.id.as_str() == id)
    }

    /// The diagnostics of one file alone, with this text. Empty if no file of this name is read as
    /// configuration.
    pub(crate) fn diagnose(path: &Path, text: &str) -> Result<Vec<Diagnostic>, ConfigError> {
        let Some(file) = ConfigFile::parse(path, text)? else { return Ok(Vec::new()) };
        // A variable that is not set now may be set when the server starts.
        let lookup = ReferenceLookup::new(|_| Some("/".into()));
        Ok(Self::read_files(vec![file], path.parent(), lookup, &|| true)?.diagnostics)
    }

    fn read_files(
        mut files: Vec<ConfigFile>,
        root: Option<&Path>,
        lookup: ReferenceLookup,
        is_trusted: &dyn Fn() -> bool,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut modes = [None, None];
        let mut entries = Vec::new();
        for file in &mut files {
            config.files.push(file.document.path.clone());
            entries.push(file.take_servers()?);
            if file.is_ours {
                modes[file.scope as usize] = config.merge_own_file(file, is_trusted)?;
            }
        }
        let mut servers = ServerCollector::new(&mut config, root, lookup, is_trusted);
        for (file, entries) in files.iter().zip(entries) {
            servers.add(file, entries);
        }
        config.mode =
            combined_mode(modes[ConfigScope::User as usize], modes[ConfigScope::Project as usize]);
        Ok(config)
    }

    /// Reads everything in one of our own files except its servers; returns the mode it sets.
    fn merge_own_file(
        &mut self,
        file: &mut ConfigFile,
        is_trusted: &dyn Fn() -> bool,
    ) -> Result<Option<PolicyMode>, ConfigError> {
        let map = std::mem::take(&mut file.document.map);
        let document = &file.document;
        let invalid = |error: SectionError| {
            document.error_at(&error.keys(&[]), error.to_string()).in_file(&document.path)
        };
        let settings =
            section::read::<Settings>(map.clone(), document.folder()).map_err(invalid)?;
        let sections = section::read::<FileSections>(map, document.folder()).map_err(invalid)?;
        for key in unknown_keys(settings.unknown, sections.unknown) {
            match key.path.as_slice() {
                [name] => {
                    let message = format!("unknown setting `{name}`{}", key.suggestion());
                    self.diagnostics.push(document.warning(&[], message));
                }
                _ => return Err(invalid(key.into())),
            }
        }
        let (mut settings, sections) = (settings.value, sections.value);
        if file.scope == ConfigScope::Project {
            self.drop_user_settings(&mut settings, document);
            self.check_project_fleet(&mut settings.fleet, document, is_trusted);
        }
        let merged = std::mem::take(&mut self.settings).merge(settings).map_err(invalid)?;
        self.settings = merged;
        match ToolPatterns::parse(sections.listed) {
            Ok(patterns) => self.listed.extend(patterns),
            Err(reason) => {
                self.diagnostics.push(document.warning(&["listed"], format!("`listed`: {reason}")))
            }
        }
        profiles::add_all(
            &mut self.profiles,
            sections.profiles,
            document,
            file.scope,
            &mut self.diagnostics,
        );
        let rules = policies::read_rules(
            sections.default_policy,
            sections.policies,
            document,
            &mut self.diagnostics,
        );
        match file.scope {
            ConfigScope::Project => self.project_rules = rules,
            ConfigScope::User => self.user_rules = rules,
        }
        if (file.scope, sections.mode) == (ConfigScope::Project, Some(PolicyMode::AllowAll)) {
            self.diagnostics.push(document.user_only_setting("`mode` is `allow-all`"));
            return Ok(None);
        }
        Ok(sections.mode)
    }

    /// Removes the fleet of a project that could choose where decisions come from: one that is not
    /// trusted, or that contains the address or the key itself.
    fn check_project_fleet(
        &mut self,
        fleet: &mut FleetTable,
        document: &Document,
        is_trusted: &dyn Fn() -> bool,
    ) {
        if *fleet == FleetTable::default() {
            return;
        }
        let texts = [&fleet.database, &fleet.listen_database, &fleet.key];
        let reason = if !is_trusted() {
            "`fleet` is ignored, because the project is not trusted; run `toolscout trust`, or move it to config.toml"
        } else if !texts.into_iter().flatten().all(is_variable) {
            "`fleet` is ignored, because a project can only name variables: write `env:NAME`"
        } else {
            return;
        };
        *fleet = FleetTable::default();
        self.diagnostics.push(document.warning(&["fleet"], reason.to_owned()));
    }

    /// Removes the settings that a project may not set.
    fn drop_user_settings(&mut self, settings: &mut Settings, document: &Document) {
        if settings.search.model.take().is_some() {
            self.diagnostics.push(document.user_only_setting("`search.model` is set"));
        }
        if settings.serve.operations.take().is_some() {
            self.diagnostics.push(document.user_only_setting("`serve.operations` is set"));
        }
        if settings.serve.projects.take().is_some() {
            self.diagnostics.push(document.user_only_setting("`serve.projects` is set"));
        }
        if settings.serve.approvals.take().is_some() {
            self.diagnostics.push(document.user_only_setting("`serve.approvals` is set"));
        }
        if std::mem::take(&mut settings.serve.jwt) != JwtSettings::default() {
            self.diagnostics.push(document.user_only_setting("`serve.jwt` is set"));
        }
        if std::mem::take(&mut settings.telemetry) != TelemetrySettings::default() {
            self.diagnostics.push(document.user_only_setting("`telemetry` is set"));
        }
        if std::mem::take(&mut settings.sandbox) != SandboxTable::default() {
            self.diagnostics.push(document.user_only_setting("`sandbox` is set"));
        }
        if settings.journal.retention.take().is_some() {
            self.diagnostics.push(document.user_only_setting("`journal.keep` is set"));
        }
    }
}

/// Whether the value comes from the environment of the operator.
fn is_variable(text: &ConfigText) -> bool {
    text.written().starts_with("env:")
}

/// The keys of a file that neither of two structs has a field for.
fn unknown_keys(first: Vec<UnknownKey>, second: Vec<UnknownKey>) -> Vec<UnknownKey> {
    let is_nested = |key: &UnknownKey| key.path.len() > 1;
    let in_both = |key: &UnknownKey| {
        let same = second.iter().find(|other| other.path == key.path)?;
        let candidates = [key.nearest, same.nearest].into_iter().flatten();
        Some(UnknownKey { path: key.path.clone(), nearest: nearest(key.name(), candidates) })
    };
    let top: Vec<_> = first.iter().filter_map(in_both).collect();
    top.into_iter().chain(first.into_iter().chain(second.clone()).filter(is_nested)).collect()
}
