//! What has to be said about a program whose servers can be imported, and which can be given ours.

use super::ClientFolders;
use super::fields::ClientFields;
use super::references::VariableSyntax;
use crate::{ConfigScope, ServerEntry};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A program that keeps MCP servers in files of its own. One file of code each, in `clients/`.
pub trait ClientFormat: Sync {
    /// What people type: `claude-desktop`.
    fn name(&self) -> &'static str;

    /// What people call it: `Claude Desktop`.
    fn title(&self) -> &'static str;

    /// Its files, whether they are there or not: those of the project first, and of each scope the one it would make
    /// itself first.
    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile>;

    /// Where its servers are in a document, the place for one more first. Also answers for a document that is empty.
    fn sections(&self, document: &Value, homes: &ClientFolders) -> Vec<KeyPath>;

    /// How it writes variables.
    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Braces
    }

    /// Brings one of its entries into our form; why not, where that cannot be.
    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String>;

    /// The entry that makes it start this.
    fn own_entry(&self, launch: &LaunchCommand, section: &KeyPath) -> Value {
        let _ = section;
        json!({"command": launch.command, "args": launch.args})
    }

    /// Whether it is started from a desktop, where the shell's `PATH` is not known.
    fn is_desktop(&self) -> bool {
        false
    }
}

/// The keys that lead to a table of servers.
pub type KeyPath = Vec<String>;

/// The usual section, of these keys.
pub(super) fn section<const N: usize>(keys: [&str; N]) -> KeyPath {
    keys.map(str::to_owned).to_vec()
}

/// A file of a client, which may or may not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFile {
    pub path: PathBuf,
    pub scope: ConfigScope,
    /// We read this file anyway, so there is nothing to import from it.
    pub is_native: bool,
}

impl ClientFile {
    pub(super) fn project(homes: &ClientFolders, path: impl AsRef<Path>) -> Self {
        Self { path: homes.project.join(path), scope: ConfigScope::Project, is_native: false }
    }

    pub(super) fn user(path: PathBuf) -> Self {
        Self { path, scope: ConfigScope::User, is_native: false }
    }
}

/// What a client should start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    pub command: String,
    pub args: Vec<String>,
}
