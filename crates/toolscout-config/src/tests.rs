//! 1. Precedence of files, and which settings of the others still apply.
//! 2. One invalid entry is reported and left out; a broken file is an error with a position.
//! 3. Files of other programs are parsed.
//! 4. Policies and the mode of two levels.
//! 5. Search settings.

mod files;
mod foreign;
mod levels;
mod reference;
mod search;

use crate::{Config, ConfigError, ConfigLocations, ConfigScope, SearchSettings};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules};
use toolscout_mcp_client::ReferenceLookup;
use toolscout_mcp_client::{HttpEndpoint, Program, ServerConfig, ServerTransport};

/// A project and a user's configuration folder, made of files.
struct World {
    folder: tempfile::TempDir,
    trusted: bool,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("project")).expect("a project");
        std::fs::create_dir_all(folder.path().join("user")).expect("a folder of the user");
        Self { folder, trusted: true }
    }

    fn with_file(name: &str, text: &str) -> Self {
        Self::new().file(name, text)
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn try_read(&self) -> Result<Config, ConfigError> {
        self.try_read_if(&|_| self.trusted)
    }

    fn try_read_if(&self, is_trusted: &dyn Fn(&Path) -> bool) -> Result<Config, ConfigError> {
        let lookup = ReferenceLookup::new(|name| (name == "HOME").then(|| "/home/ada".into()));
        let (project, user) = (self.path("project"), Some(self.path("user")));
        let locations = ConfigLocations {
            folder: project.clone(),
            project: Some(project),
            user,
            lookup,
            is_trusted,
        };
        Config::load(&locations)
    }

    fn read(&self) -> Config {
        self.try_read().expect("the configuration can be read")
    }

    /// The warnings as they are displayed.
    fn warnings(&self) -> Vec<String> {
        messages_of(&self.read(), toolscout_core::DiagnosticLevel::Warning)
    }

    fn notes(&self) -> Vec<String> {
        messages_of(&self.read(), toolscout_core::DiagnosticLevel::Debug)
    }
}

fn messages_of(config: &Config, level: toolscout_core::DiagnosticLevel) -> Vec<String> {
    let diagnostics = config.diagnostics.iter().filter(|diagnostic| diagnostic.level == level);
    let name = |diagnostic: &Diagnostic| {
        diagnostic
            .path
            .as_deref()
            .and_then(Path::file_name)
            .map(|file_name| file_name.to_string_lossy().into_owned())
    };
    diagnostics
        .map(|diagnostic| {
            format!("{}: {}", name(diagnostic).unwrap_or_default(), diagnostic.message)
        })
        .collect()
}

fn ids(config: &Config) -> Vec<&str> {
    config.servers.iter().map(|server| server.server.id.as_str()).collect()
}

fn server<'a>(config: &'a Config, id: &str) -> &'a ServerConfig {
    &config.server(id).unwrap_or_else(|| panic!("no server {id}: {:?}", config.diagnostics)).server
}

fn program<'a>(config: &'a Config, id: &str) -> &'a Program {
    match &server(config, id).transport {
        ServerTransport::Stdio(program) => program,
        other => panic!("{other:?}"),
    }
}

fn endpoint<'a>(config: &'a Config, id: &str) -> &'a HttpEndpoint {
    match &server(config, id).transport {
        ServerTransport::Http(endpoint) => endpoint,
        other => panic!("{other:?}"),
    }
}
