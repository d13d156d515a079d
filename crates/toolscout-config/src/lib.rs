//! The configuration of a project and of a user: files of several programs, read in place, and
//! edited without losing a comment.
//!
//! Start reading at [`Config::load`]. In order of precedence it reads the project's
//! `toolscout.toml` (or `.json`, `.yaml`), its `.mcp.json`, `.lace/mcp-config.json` and
//! `.orion/config.yaml`, and the user's own `config.toml`. [`ConfigEditor`] edits these files.
//! [`import`] reads the servers that other MCP clients have configured, and [`connect`] writes
//! toolscout into the configuration of those clients.
//!
//! Everything here works on files and plain data: no server is started, and nothing depends on the
//! running program.

pub mod connect;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod import;

mod backup;
mod change_record;
mod config;
mod document;
mod edit;
mod entry;
mod error;
mod file;
mod files;
mod policies;
mod profiles;
mod secrets;
mod section;
mod servers;
mod settings;
mod stamps;
#[cfg(test)]
mod tests;
mod undo;
mod write;

pub use change_record::ChangeRecorder;
pub use config::{Config, ConfigLocations, SECRETS_FOLDER};
pub use document::{Document, DocumentFormat};
pub use edit::{ConfigEdit, ConfigEditor, overwrite};
pub use entry::{EntryContext, ServerEntry, ToolFilterEntry};
pub use error::{ConfigError, DocumentError};
pub use files::ConfigScope;
pub use profiles::Profile;
pub use secrets::StoredSecrets;
pub use servers::{ConfiguredServer, EntryChange};
pub use settings::{
    ContextSettings, CutOffMode, DiscoverOnStart, FleetTable, JournalRetention, JournalSettings,
    JwtSettings, RequestToolsSettings, SandboxTable, SearchSettings, Settings, TaskProgram,
    TelemetrySettings, ToolPreset,
};
pub use stamps::FileStamps;
pub use undo::{UndoAction, UndoPlan};
pub use write::check_within;
