//! Connects the configuration crate to the options and the environment of a run.

use crate::{AppError, Environment, Options, Trust};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use toolscout_config::{ConfigLocations, ConfigScope};
use toolscout_folder::DefaultRoot;

pub use toolscout_config::{
    ConfigScope as Scope, ConfiguredServer as Configured, DiscoverOnStart, Document, DocumentFormat as Format,
    EntryContext as Around, FileStamps as Stamps, JournalRetention as Keep, PolicyRules as Rules, Profile,
    RequestTools, SearchSettings, ServerEntry as Entry,
};

/// The configuration of a run, read once.
#[derive(Debug, Default)]
pub struct Config(toolscout_config::Config);

impl Config {
    /// The configuration of a program that reads no files.
    pub fn without_files(options: &Options, environment: &Environment) -> Self {
        let folder = options.folder(environment.cwd());
        let root = DefaultRoot::find(&folder).map(Path::to_owned);
        Self(toolscout_config::Config { folder, root, ..Default::default() })
    }

    /// Reads the configuration of this run.
    pub fn find(options: &Options, environment: &Environment) -> Result<Self, AppError> {
        let folder = options.folder(environment.cwd());
        let locations = ConfigLocations {
            project: DefaultRoot::find(&folder).map(Path::to_owned),
            folder,
            user: environment.config_dir(),
            lookup: environment.lookup(),
            is_trusted: &|root| Trust::new(environment, options).covers(root),
        };
        Ok(Self(toolscout_config::Config::load(&locations)?))
    }
}

impl Deref for Config {
    type Target = toolscout_config::Config;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Editing of configuration files.
pub mod edit {
    use super::*;

    pub use toolscout_config::overwrite;

    /// The editor of configuration files, with its locks in the state folder of the run.
    #[derive(Debug, Clone)]
    pub struct Editor(toolscout_config::Editor);

    impl Editor {
        /// The editor of a run.
        pub fn of(environment: &Environment) -> Self {
            Self(toolscout_config::Editor::new(environment.state_dir()))
        }

        /// The file of ours that edits go to: the user's, or the project's.
        pub fn own_file(config: &Config, _: &Environment, global: bool) -> Result<PathBuf, AppError> {
            Ok(config.own_file(if global { ConfigScope::User } else { ConfigScope::Project })?)
        }
    }

    impl Deref for Editor {
        type Target = toolscout_config::Editor;

        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
}
