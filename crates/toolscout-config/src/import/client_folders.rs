//! The folders in which programs store their settings, from environment variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables that name the folder of a client.
const FOLDER_VARIABLES: [&str; 3] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"];

/// The folders in which programs store their settings.
#[derive(Debug, Clone, Default)]
pub struct ClientFolders {
    /// The project root.
    pub project: PathBuf,
    /// The home folder of the user.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, else `~/.config`.
    config: Option<PathBuf>,
    /// The settings folders of desktop programs, the one of this system first.
    apps: Vec<PathBuf>,
    /// Folders and files from variables of single clients.
    variables: BTreeMap<&'static str, PathBuf>,
}

impl ClientFolders {
    /// The folders from the environment, for a process that runs in `cwd`.
    pub fn new(variable: &dyn Fn(&str) -> Option<String>, cwd: &Path, project: &Path) -> Self {
        let folder =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let library = home.as_ref().map(|home| home.join("Library/Application Support"));
        let by_system = if cfg!(target_os = "macos") {
            [library, config.clone(), folder("APPDATA")]
        } else {
            [folder("APPDATA"), config.clone(), library]
        };
        let mut variables: BTreeMap<_, _> =
            FOLDER_VARIABLES.iter().filter_map(|name| Some((*name, folder(name)?))).collect();
        variables
            .extend(variable("OPENCODE_CONFIG").map(|path| ("OPENCODE_CONFIG", cwd.join(path))));
        Self {
            project: project.to_owned(),
            home,
            config,
            apps: by_system.into_iter().flatten().collect(),
            variables,
        }
    }

    /// A path in the home folder, if it is known.
    pub(super) fn home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }

    /// A path in the settings folder of command line programs.
    pub(super) fn config(&self, path: &str) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join(path))
    }

    /// A file of a desktop program, in the settings folder of each system.
    pub(super) fn apps(&self, path: &str) -> Vec<PathBuf> {
        self.apps.iter().map(|folder| folder.join(path)).collect()
    }

    /// The folder or file that a variable names.
    pub(super) fn variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).cloned()
    }
}
