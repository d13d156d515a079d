//! Reads the servers that other MCP clients have configured, and adds them to our own file.
//!
//! Start reading at [`plan()`], which decides and writes nothing; [`apply`] writes the plan.

mod client;
mod client_folders;
mod clients;
mod common;
mod document;
mod fields;
mod guess;
mod own_program;
mod plan;
mod references;
mod scan;
mod secrets;
mod target;
#[cfg(test)]
mod tests;
mod view;

pub use client::{ClientFile, ClientFormat, LaunchCommand};
pub use client_folders::ClientFolders;
pub use clients::{CLIENTS, find_client};
pub(crate) use document::{parse, read, table};
pub use own_program::OwnProgram;
pub(crate) use plan::ImportPlanner;
pub use plan::{
    ImportAction, ImportPlan, ImportRequest, PlannedFile, PlannedServer, ServerSelection, apply,
    plan,
};
pub use scan::{ClientScan, ScannedFile, ScannedServer};
pub use secrets::{HandledSecret, PreparedEntry, SecretHandling, StoredSecret, redacted};
pub use target::{ExistingServers, ImportTarget};
pub use view::{ImportPlanView, command_line, settings, transport};

/// The keys that lead to a table of servers.
pub type KeyPath = Vec<String>;
