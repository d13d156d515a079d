//! Reads the configuration of a run, with its options and its environment.

use crate::{AppError, Environment, Options, Trust};
use std::path::Path;
use toolscout_config::{Config, ConfigEditor, ConfigLocations};
use toolscout_folder::DefaultRoot;

/// The configuration of a program that reads no files.
pub(crate) fn without_files(options: &Options, environment: &Environment) -> Config {
    let folder = options.folder(environment.cwd());
    let root = DefaultRoot::find(&folder).map(Path::to_owned);
    Config { folder, root, ..Default::default() }
}

/// Reads the configuration of this run.
pub(crate) fn load(options: &Options, environment: &Environment) -> Result<Config, AppError> {
    let folder = options.folder(environment.cwd());
    let locations = ConfigLocations {
        project: DefaultRoot::find(&folder).map(Path::to_owned),
        folder,
        user: environment.config_dir(),
        lookup: environment.lookup(),
        is_trusted: &|root| Trust::new(environment, options).covers(root),
    };
    Ok(Config::load(&locations)?)
}

/// The editor of configuration files, with its locks in the state folder of the run.
pub fn editor(environment: &Environment) -> ConfigEditor {
    ConfigEditor::new(environment.state_dir())
}
