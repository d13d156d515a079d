//! What has to be said about a program whose servers can be imported, and which can be given ours.

use super::Homes;
use super::fields::Fields;
use super::references::Syntax;
use crate::config::Entry;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A program that keeps MCP servers in files of its own. One file of code each, in `clients/`.
pub(crate) trait Client: Sync {
    /// What people type: `claude-desktop`.
    fn name(&self) -> &'static str;

    /// What people call it: `Claude Desktop`.
    fn title(&self) -> &'static str;

    /// Its files, whether they are there or not: those of the project first, and of each scope the one it would make
    /// itself first.
    fn files(&self, homes: &Homes) -> Vec<ClientFile>;

    /// Where its servers are in a document, the place for one more first. Also answers for a document that is empty.
    fn sections(&self, document: &Value, homes: &Homes) -> Vec<Section>;

    /// How it writes variables.
    fn syntax(&self) -> Syntax {
        Syntax::Braces
    }

    /// Brings one of its entries into our form; why not, where that cannot be.
    fn entry(&self, fields: &mut Fields<'_>) -> Result<Entry, String>;

    /// The entry that makes it start this.
    fn own_entry(&self, launch: &Launch, section: &Section) -> Value {
        let _ = section;
        json!({"command": launch.command, "args": launch.args})
    }

    /// Whether it is started from a desktop, where the shell's `PATH` is not known.
    fn is_desktop(&self) -> bool {
        false
    }
}

/// The keys that lead to a table of servers.
pub(crate) type Section = Vec<String>;

/// The usual section, of these keys.
pub(super) fn section<const N: usize>(keys: [&str; N]) -> Section {
    keys.map(str::to_owned).to_vec()
}

/// A file of a client, which may or may not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientFile {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    /// We read this file anyway, so there is nothing to import from it.
    pub(crate) is_native: bool,
}

impl ClientFile {
    pub(super) fn project(homes: &Homes, path: impl AsRef<Path>) -> Self {
        Self { path: homes.project.join(path), scope: Scope::Project, is_native: false }
    }

    pub(super) fn user(path: PathBuf) -> Self {
        Self { path, scope: Scope::User, is_native: false }
    }
}

/// Whom a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everybody who works on the project.
    Project,
    /// This person, everywhere.
    User,
}

impl Scope {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// What a client should start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
}
