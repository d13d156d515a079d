//! The folders below which programs keep their settings, as this run's variables tell.

use std::path::{Path, PathBuf};

/// The folders below which programs keep their settings.
#[derive(Debug, Clone, Default)]
pub struct ClientFolders {
    /// The project's root.
    pub project: PathBuf,
    /// The person's own folder.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, else `~/.config`.
    config: Option<PathBuf>,
    /// Where programs with windows keep settings, this system's own place first.
    apps: Vec<PathBuf>,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    copilot: Option<PathBuf>,
    opencode_file: Option<PathBuf>,
}

impl ClientFolders {
    /// As the variables of the environment say, for a process that runs in `cwd`.
    pub fn new(variable: &dyn Fn(&str) -> Option<String>, cwd: &Path, project: &Path) -> Self {
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let library = home.as_ref().map(|it| it.join("Library/Application Support"));
        let by_system = match cfg!(target_os = "macos") {
            true => [library, config.clone(), folder("APPDATA")],
            false => [folder("APPDATA"), config.clone(), library],
        };
        Self {
            project: project.to_owned(),
            home,
            config,
            apps: by_system.into_iter().flatten().collect(),
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
            copilot: folder("COPILOT_HOME"),
            opencode_file: variable("OPENCODE_CONFIG").map(|it| cwd.join(it)),
        }
    }

    /// In the person's own folder, where it is known.
    pub(super) fn home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|it| it.join(path))
    }

    /// Where programs without windows keep settings.
    pub(super) fn config(&self, path: &str) -> Option<PathBuf> {
        self.config.as_ref().map(|it| it.join(path))
    }

    /// Where programs with windows keep settings; of each name, every place there is on any system.
    pub(super) fn apps<'a>(&'a self, paths: &'a [&'a str]) -> impl Iterator<Item = PathBuf> + 'a {
        paths.iter().flat_map(|path| self.apps.iter().map(move |it| it.join(path)))
    }

    /// Claude Code's own file is in the home folder itself, unless somebody moved it.
    pub(super) fn claude(&self, path: &str) -> Option<PathBuf> {
        self.claude.as_ref().or(self.home.as_ref()).map(|it| it.join(path))
    }

    pub(super) fn codex(&self, path: &str) -> Option<PathBuf> {
        self.codex.as_ref().map(|it| it.join(path)).or_else(|| Some(self.home(".codex")?.join(path)))
    }

    pub(super) fn copilot(&self, path: &str) -> Option<PathBuf> {
        self.copilot.as_ref().map(|it| it.join(path)).or_else(|| Some(self.home(".copilot")?.join(path)))
    }

    pub(super) fn opencode_file(&self) -> Option<PathBuf> {
        self.opencode_file.clone()
    }
}
