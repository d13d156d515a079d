//! Reads the configuration of a run, with its options and its environment.

use crate::{AppError, Environment, Options, Trust, Workspace};
use std::path::{Path, PathBuf};
use toolscout_config::{ChangeRecorder, Config, ConfigEditor, ConfigLocations};
use toolscout_folder::DefaultRoot;

/// The configuration of a program that reads no files.
pub(crate) fn without_files(options: &Options, environment: &Environment) -> Config {
    let folder = options.folder(environment.cwd());
    let root = DefaultRoot::find(&folder).map(Path::to_owned);
    Config { folder, root, ..Default::default() }
}

/// Reads the configuration of this run.
pub(crate) fn load(options: &Options, environment: &Environment) -> Result<Config, AppError> {
    load_in(options.folder(environment.cwd()), options, environment)
}

/// Reads the configuration of a folder.
pub(crate) fn load_in(
    folder: PathBuf,
    options: &Options,
    environment: &Environment,
) -> Result<Config, AppError> {
    let trust = Trust::new(environment, options);
    let locations = ConfigLocations {
        project: DefaultRoot::find(&folder).map(Path::to_owned),
        folder,
        user: environment.config_dir(),
        lookup: environment.lookup(),
        is_trusted: &|root| trust.covers(root),
    };
    let mut config = Config::load(&locations)?;
    trust.bar_changed_servers(&mut config);
    Ok(config)
}

/// The editor of configuration files for one change, which can be undone. Its locks are in the
/// state folder of the run. It does not follow links out of the project.
pub(crate) fn editor(workspace: &Workspace, operation: &str, summary: &str) -> ConfigEditor {
    let environment = &workspace.environment;
    let recorder = ChangeRecorder::new(environment.store(), operation, summary);
    let editor = ConfigEditor::new(environment.state_dir()).recording(recorder);
    let project = workspace.config().project_folder().to_owned();
    match environment.config_dir() {
        // The home is the project: its links are those of the user.
        Some(user) if user.starts_with(&project) => editor,
        _ => editor.within(project),
    }
}
