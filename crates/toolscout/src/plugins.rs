//! The plugins the `toolscout` program is made of; an application takes those it wants.

mod bench;
mod browser;
mod cli;
mod connect;
mod context;
mod discovery;
mod import;
mod journal;
mod logs;
mod observe;
mod opencode;
mod own_commands;
pub(crate) mod registry;
mod requests;
mod review;
mod search;
mod serve;
mod servers;
mod telemetry;
pub(crate) mod ui;

pub use bench::Bench;
pub use cli::Cli;
pub use connect::Connect;
pub use context::Context;
pub use discovery::Discovery;
pub use import::Import;
pub use journal::Journal;
pub use logs::Logs;
pub use observe::Observe;
pub use opencode::OpenCode;
pub use registry::Registry;
pub use requests::Requests;
pub use review::Review;
pub use search::Search;
pub use serve::Serve;
pub use servers::Servers;
pub use telemetry::{Metrics, Telemetry};
pub use ui::Ui;

pub(crate) use own_commands::OwnCommands;
