//! Connects the configuration crate to the options and the environment of a run.

use crate::plugins::discovery::Trust;
use crate::{AppError, Options, Surroundings};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use toolscout_config::{ConfigLocations, ConfigScope};
use toolscout_folder::DefaultRoot;

pub(crate) use toolscout_config::{
    ConfigScope as Scope, ConfiguredServer as Configured, DiscoverOnStart, Document, DocumentFormat as Format,
    EntryContext as Around, FileStamps as Stamps, JournalRetention as Keep, PolicyRules as Rules, Profile,
    RequestToolsSettings, SearchSettings, ServerEntry as Entry,
};

/// The configuration of a run, read once.
#[derive(Debug, Default)]
pub(crate) struct Config(toolscout_config::Config);

impl Config {
    /// The configuration of a program that reads no files.
    pub(crate) fn without_files(options: &Options, surroundings: &Surroundings) -> Self {
        let folder = options.folder(surroundings.cwd());
        let root = DefaultRoot::find(&folder).map(Path::to_owned);
        Self(toolscout_config::Config { folder, root, ..Default::default() })
    }

    /// Reads the configuration of this run.
    pub(crate) fn find(options: &Options, surroundings: &Surroundings) -> Result<Self, AppError> {
        let folder = options.folder(surroundings.cwd());
        let locations = ConfigLocations {
            project: DefaultRoot::find(&folder).map(Path::to_owned),
            folder,
            user: surroundings.config_dir(),
            lookup: surroundings.lookup(),
            is_trusted: &|root| Trust::new(surroundings, options).covers(root),
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
pub(crate) mod edit {
    use super::*;

    pub(crate) use toolscout_config::overwrite;

    /// The editor of configuration files, with its locks in the state folder of the run.
    #[derive(Debug, Clone)]
    pub(crate) struct Editor(toolscout_config::ConfigEditor);

    impl Editor {
        pub(crate) fn of(surroundings: &Surroundings) -> Self {
            Self(toolscout_config::ConfigEditor::new(surroundings.state_dir()))
        }

        /// The file of ours that edits go to: the user's, or the project's.
        pub(crate) fn own_file(config: &Config, _: &Surroundings, global: bool) -> Result<PathBuf, AppError> {
            Ok(config.own_file(if global { ConfigScope::User } else { ConfigScope::Project })?)
        }
    }

    impl Deref for Editor {
        type Target = toolscout_config::ConfigEditor;

        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
}
