//! The plugins the `toolscout` program is made of; an application takes those it wants.

mod cli;
mod discovery;
mod logs;
mod opencode;
mod own_commands;
pub(crate) mod registry;

pub use cli::Cli;
pub use discovery::Discovery;
pub use logs::Logs;
pub use opencode::OpenCode;
pub use registry::Registry;

pub(crate) use own_commands::OwnCommands;
