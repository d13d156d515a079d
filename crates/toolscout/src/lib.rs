//! Composes the program: a builder, plugins with a lifecycle, and the plugins of the `toolscout`
//! program. The state and the operations of a running program are in `toolscout-workspace`.
//!
//! An application embeds the same parts, omits those it does not need and adds its own:
//!
//! ```no_run
//! use toolscout::{App, plugins};
//!
//! # async fn example() -> Result<(), toolscout::AppError> {
//! let app = App::builder("my-app")
//!     .plugin(plugins::Discovery::default())
//!     .plugin(plugins::Registry::default())
//!     .plugin(plugins::Cli::default())
//!     .build()?;
//! let exit = app.run(std::env::args_os().skip(1)).await;
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`App::run`]: it is the lifecycle.

mod alias;
mod app;
mod command;
mod composition;
mod entry;
mod lifecycle;
mod line;
mod live_output;
mod operation_command;
mod plugin;
pub mod plugins;
mod progress;
#[cfg(test)]
mod tests;
mod topics;
mod words;

pub use app::{App, AppBuilder};
pub use command::{Command, CommandSet, Commands, Decorator, Extensions, Listing, Next, RunCx};
pub use entry::main;
pub use plugin::{AfterSetup, Plugin, Setup};

pub use toolscout_catalog as catalog;
pub use toolscout_catalog::TtlRegistry;
pub use toolscout_core as core;
pub use toolscout_folder as folder;
pub use toolscout_gateway as gateway;
pub use toolscout_mcp_client as mcp_client;
pub use toolscout_process as process;
pub use toolscout_source as source;
pub use toolscout_surface as surface;
pub use toolscout_workspace::journal;
pub use toolscout_workspace::{
    AppError, Captured, CommandTraits, Environment, LifecycleError, Options, Startup, Tools,
    Workspace,
};

/// The code of the guide, compiled as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/embedding.md")]
mod embedding_guide {}
