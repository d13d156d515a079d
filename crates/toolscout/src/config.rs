//! What people have configured: files of several programs, read in place, and changed without losing a comment.
//!
//! Start reading at [`Config::of`]. In order of precedence: the project's `toolscout.toml` (or `.json`, `.yaml`), its
//! `.mcp.json`, `.lace/mcp-config.json` and `.orion/config.yaml`, and the person's own `config.toml`.

mod context;
mod document;
pub(crate) mod edit;
mod entry;
mod files;
mod journal;
mod keys;
mod names;
mod policies;
mod profiles;
mod request_tools;
mod search;
mod servers;
mod settings;
mod stamps;
mod telemetry;
#[cfg(test)]
mod tests;

use crate::plugins::discovery::Trust;
use crate::{AppError, Options, Surroundings};
use files::ConfigFile;
use keys::{Keys, Wrong, did_you_mean};
use policies::Said;
use profiles::Profiles;
use servers::Servers;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Problem, ProblemKind};
use toolscout_folder::DefaultRoot;
use toolscout_mcp_client::Lookup;

pub(crate) use document::{Document, Format};
pub(crate) use entry::{Around, Entry, FilterEntry};
pub(crate) use files::Scope;
pub(crate) use journal::Keep;
pub(crate) use names::Names;
pub(crate) use policies::{Mode, Rules};
pub(crate) use profiles::Profile;
pub(crate) use request_tools::RequestTools;
pub(crate) use search::SearchSettings;
pub(crate) use servers::Configured;
pub(crate) use settings::{DiscoverOnStart, Settings};
pub(crate) use stamps::Stamps;
pub(crate) use telemetry::TelemetrySettings;

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
pub(crate) struct Config {
    /// The folder the run is about.
    pub(crate) folder: PathBuf,
    /// The project's root, if one is found upward.
    pub(crate) root: Option<PathBuf>,
    pub(crate) settings: Settings,
    /// In the order they are configured, the project's first; those that are off, too.
    pub(crate) servers: Vec<Configured>,
    /// The person's own policies.
    pub(crate) user: Rules,
    /// The project's, which may only tighten those.
    pub(crate) project: Rules,
    pub(crate) mode: Mode,
    /// What agents see without searching, whatever its source says.
    pub(crate) listed: Names,
    /// In the order they are configured.
    pub(crate) profiles: Vec<Profile>,
    /// What is odd about the files.
    pub(crate) problems: Vec<Problem>,
    /// All that were read, the strongest first.
    pub(crate) files: Vec<PathBuf>,
    /// How all files were, there or not, just before they were read.
    pub(crate) stamps: Stamps,
}

impl Config {
    /// What is configured for this run; read once.
    pub(crate) fn of(options: &Options, surroundings: &Surroundings) -> Result<Arc<Self>, AppError> {
        options.once(|| Self::find(options, surroundings))
    }

    /// As [`Config::of`], after the files may have changed. While one of them cannot be read, what was read before stays.
    pub(crate) fn again(options: &Options, surroundings: &Surroundings) -> Result<Arc<Self>, AppError> {
        options.renew(|| Self::find(options, surroundings))
    }

    fn find(options: &Options, surroundings: &Surroundings) -> Result<Self, AppError> {
        let folder = options.folder(surroundings.cwd());
        if !folder.is_dir() {
            let message = format!("`{}` is not a folder", folder.display());
            return Err(AppError::invalid(message, "give --project a folder that exists"));
        }
        let root = DefaultRoot::find(&folder).map(Path::to_owned);
        // Asked once, and only if the project has servers: the answer is in the store.
        let trusted = OnceCell::new();
        let covers = |root: &Path| Trust::new(surroundings, options).covers(root);
        let is_trusted = || *trusted.get_or_init(|| root.as_deref().is_some_and(covers));
        let user = surroundings.config_dir();
        let stamps = Stamps::of_configuration(root.as_deref(), user.as_deref());
        let read = Self::read(root.as_deref(), user.as_deref(), surroundings.lookup(), &is_trusted)?;
        Ok(Self { folder, root, stamps, ..read })
    }

    /// The server of this id.
    pub(crate) fn server(&self, id: &str) -> Option<&Configured> {
        self.servers.iter().find(|it| it.server.id.as_str() == id)
    }

    /// Reads the files of a project, and those of a person.
    fn read(
        root: Option<&Path>,
        user: Option<&Path>,
        lookup: Lookup,
        is_trusted: &dyn Fn() -> bool,
    ) -> Result<Self, AppError> {
        let mut config = Self::default();
        let mut modes = [None, None];
        let mut profiles = Profiles::default();
        let mut files = ConfigFile::all(root, user, &mut config.problems)?;
        let mut servers = Servers::new(root, lookup, is_trusted);
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
        config.mode = Mode::of(modes[Scope::User as usize], modes[Scope::Project as usize]);
        Ok(config)
    }

    /// Everything in one of our own files but its servers; gives the mode it wants.
    fn take_own(&mut self, file: &mut ConfigFile, profiles: &mut Profiles) -> Result<Option<Mode>, AppError> {
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
        if file.scope == Scope::Project && settings.search.model.take().is_some() {
            self.problems.push(only_a_person("`model` of `search` is set", document));
        }
        if file.scope == Scope::Project && std::mem::take(&mut settings.telemetry) != TelemetrySettings::default() {
            self.problems.push(only_a_person("`telemetry` is set", document));
        }
        if file.scope == Scope::Project && settings.journal.keep.take().is_some() {
            self.problems.push(only_a_person("`keep` of `journal` is set", document));
        }
        self.settings = std::mem::take(&mut self.settings).or(settings);
        match file.scope {
            Scope::Project => self.project = said.rules,
            Scope::User => self.user = said.rules,
        }
        if (file.scope, said.mode) == (Scope::Project, Some(Mode::AllowAll)) {
            self.problems.push(only_a_person("`mode` is `allow-all`", document));
            return Ok(None);
        }
        Ok(said.mode)
    }

    fn take_listed(&mut self, keys: &mut Keys, document: &Document) -> Result<(), Wrong> {
        match Names::read(keys.texts("listed")?.unwrap_or_default()) {
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
