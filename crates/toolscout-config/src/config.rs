//! Everything configured for a run, of all files together.

use crate::document::Document;
use crate::error::ConfigError;
use crate::files::{self, ConfigFile, ConfigScope};
use crate::keys::{Keys, Wrong, did_you_mean};
use crate::names::ToolPatterns;
use crate::policies::{PolicyRules, Said, combined_mode};
use crate::profiles::{Profile, Profiles};
use crate::servers::{ConfiguredServer, ServerCollector};
use crate::settings::Settings;
use crate::stamps::FileStamps;
use crate::telemetry::TelemetrySettings;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use toolscout_core::{PolicyMode, Problem, ProblemKind};
use toolscout_mcp_client::Lookup;

/// The keys of our own files, to guess from.
const KEYS: [&str; 25] = [
    "roots",
    "tool_directories",
    "tool_files",
    "patterns",
    "ignore",
    "on_conflict",
    "strict",
    "probe_timeout_ms",
    "meta_tools",
    "discover_on_start",
    "request_tools",
    "presets",
    "search",
    "context",
    "telemetry",
    "shadow",
    "journal",
    "default_policy",
    "mode",
    "policies",
    "listed",
    "profiles",
    "servers",
    "mcpServers",
    "$schema",
];

/// What is configured for a run.
#[derive(Debug, Default)]
pub struct Config {
    /// The folder the run is about.
    pub folder: PathBuf,
    /// The project's root, if one is found upward.
    pub root: Option<PathBuf>,
    /// The folder of the user's own configuration, if known.
    pub user_folder: Option<PathBuf>,
    pub settings: Settings,
    /// In the order they are configured, the project's first; those that are off, too.
    pub servers: Vec<ConfiguredServer>,
    /// The person's own policies.
    pub user: PolicyRules,
    /// The project's, which may only tighten those.
    pub project: PolicyRules,
    pub mode: PolicyMode,
    /// What agents see without searching, whatever its source says.
    pub listed: ToolPatterns,
    /// In the order they are configured.
    pub profiles: Vec<Profile>,
    /// What is odd about the files.
    pub problems: Vec<Problem>,
    /// All that were read, the strongest first.
    pub files: Vec<PathBuf>,
    /// How all files were, there or not, just before they were read.
    pub stamps: FileStamps,
}

/// Where the configuration of a run is, and what its entries refer to.
pub struct ConfigLocations<'a> {
    /// The folder the run is about.
    pub folder: PathBuf,
    /// The root of the project that holds the folder, if there is one.
    pub project: Option<PathBuf>,
    /// The folder of the user's own configuration.
    pub user: Option<PathBuf>,
    /// Resolves references to variables, files and the keyring.
    pub lookup: Lookup,
    /// Whether the user trusts the project. Called at most once, and only if the project has servers.
    pub is_trusted: &'a dyn Fn(&Path) -> bool,
}

impl Config {
    /// Reads all configuration files. One bad entry is a diagnostic; a file that cannot be parsed is an error.
    pub fn load(locations: &ConfigLocations<'_>) -> Result<Self, ConfigError> {
        let ConfigLocations { folder, project, user, lookup, is_trusted } = locations;
        if !folder.is_dir() {
            let message = format!("`{}` is not a folder", folder.display());
            return Err(ConfigError::invalid(message, "give --project a folder that exists"));
        }
        let (project, user) = (project.as_deref(), user.as_deref());
        let trusted = OnceCell::new();
        let is_trusted = || *trusted.get_or_init(|| project.is_some_and(is_trusted));
        let stamps = FileStamps::of(files::candidates(project, user));
        let read = Self::read(project, user, lookup.clone(), &is_trusted)?;
        let (root, user_folder) = (project.map(Path::to_owned), user.map(Path::to_owned));
        Ok(Self { folder: folder.clone(), root, user_folder, stamps, ..read })
    }

    /// The project's root; outside of a project, the folder itself.
    pub fn project_folder(&self) -> &Path {
        self.root.as_deref().unwrap_or(&self.folder)
    }

    /// The file of ours that edits of this scope go to. It need not exist yet.
    pub fn own_file(&self, scope: ConfigScope) -> Result<PathBuf, ConfigError> {
        match (scope, &self.user_folder) {
            (ConfigScope::Project, _) => Ok(files::own_path(self.project_folder(), "toolscout")),
            (ConfigScope::User, Some(folder)) => Ok(files::own_path(folder, "config")),
            (ConfigScope::User, None) => Err(no_user_folder()),
        }
    }

    /// The server of this id.
    pub fn server(&self, id: &str) -> Option<&ConfiguredServer> {
        self.servers.iter().find(|it| it.server.id.as_str() == id)
    }

    /// Reads the files of a project, and those of a person.
    pub(crate) fn read(
        root: Option<&Path>,
        user: Option<&Path>,
        lookup: Lookup,
        is_trusted: &dyn Fn() -> bool,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut modes = [None, None];
        let mut profiles = Profiles::default();
        let mut files = ConfigFile::all(root, user, &mut config.problems)?;
        let mut servers = ServerCollector::new(root, lookup, is_trusted);
        for file in &mut files {
            config.files.push(file.document.path.clone());
            servers.add(file)?;
            if file.is_ours {
                modes[file.scope as usize] = config.take_own(file, &mut profiles)?;
            }
        }
        config.profiles = profiles.found;
        config.listed.extend(std::mem::take(&mut servers.listed));
        config.servers = std::mem::take(&mut servers.found);
        config.problems.append(&mut servers.problems);
        config.project.rules.append(&mut servers.project.rules);
        config.user.rules.append(&mut servers.user.rules);
        config.mode = combined_mode(modes[ConfigScope::User as usize], modes[ConfigScope::Project as usize]);
        Ok(config)
    }

    /// Everything in one of our own files but its servers; gives the mode it wants.
    fn take_own(&mut self, file: &mut ConfigFile, profiles: &mut Profiles) -> Result<Option<PolicyMode>, ConfigError> {
        let mut keys = Keys::new(std::mem::take(&mut file.document.map));
        let document = &file.document;
        let read = Settings::read(&mut keys, document)
            .and_then(|settings| Ok((settings, Said::read(&mut keys, document, &mut self.problems)?)))
            .and_then(|read| profiles.add(&mut keys, document, file.scope, &mut self.problems).map(|()| read))
            .and_then(|read| self.take_listed(&mut keys, document).map(|()| read));
        let (mut settings, said) = read.map_err(|it| document.flaw(&[&it.key], it.reason).error(&document.path))?;
        let _ = keys.take("$schema");
        for (_, key) in keys.left() {
            let reason = format!("unknown setting `{key}`{}", did_you_mean(key, &KEYS));
            self.problems.push(Problem::warning(ProblemKind::Setting, reason).at(&document.path));
        }
        if file.scope == ConfigScope::Project && settings.search.model.take().is_some() {
            self.problems.push(only_a_person("`model` of `search` is set", document));
        }
        if file.scope == ConfigScope::Project && std::mem::take(&mut settings.telemetry) != TelemetrySettings::default()
        {
            self.problems.push(only_a_person("`telemetry` is set", document));
        }
        if file.scope == ConfigScope::Project && settings.journal.keep.take().is_some() {
            self.problems.push(only_a_person("`keep` of `journal` is set", document));
        }
        self.settings = std::mem::take(&mut self.settings).or(settings);
        match file.scope {
            ConfigScope::Project => self.project = said.rules,
            ConfigScope::User => self.user = said.rules,
        }
        if (file.scope, said.mode) == (ConfigScope::Project, Some(PolicyMode::AllowAll)) {
            self.problems.push(only_a_person("`mode` is `allow-all`", document));
            return Ok(None);
        }
        Ok(said.mode)
    }

    fn take_listed(&mut self, keys: &mut Keys, document: &Document) -> Result<(), Wrong> {
        match ToolPatterns::read(keys.texts("listed")?.unwrap_or_default()) {
            Ok(names) => self.listed.extend(names),
            Err(reason) => {
                let message = document.flaw(&["listed"], format!("`listed`: {reason}")).news();
                self.problems.push(Problem::warning(ProblemKind::Setting, message).at(&document.path));
            }
        }
        Ok(())
    }
}

/// What a project says that it may not.
fn only_a_person(what: &str, document: &Document) -> Problem {
    let reason = format!("{what}, which only a person's own configuration may say");
    let problem = Problem::warning(ProblemKind::Setting, reason).at(&document.path);
    problem.hint("put it into `config.toml` of your own configuration folder")
}

/// Neither HOME nor TOOLSCOUT_CONFIG_DIR is set.
pub(crate) fn no_user_folder() -> ConfigError {
    ConfigError::invalid("no folder for the user configuration is known", "set HOME or TOOLSCOUT_CONFIG_DIR")
}
