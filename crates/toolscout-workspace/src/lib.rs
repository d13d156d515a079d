//! The workspace of a running toolscout, and the operations on it.
//!
//! A [`Workspace`] holds the options, the environment, the configuration, the servers and the
//! gateway of a run. An operation takes a workspace and an input; commands, HTTP routes and
//! requests over the control socket are derived from [`OPERATIONS`]. The app crate has the
//! command line, the plugins and their lifecycle.

pub mod access_tokens;
mod background;
pub mod config;
mod environment;
mod error;
mod event_broadcast;
mod fleet;
pub mod host;
pub mod journal;
mod operations;
mod options;
mod page_links;
pub mod policies;
mod progress;
mod projects;
mod random;
mod registrations;
mod sandbox;
mod saved_tools;
pub mod servers;
mod sessions;
mod tools;
mod trust;
mod wire_names;
mod workspace;

pub use access_tokens::{AGENT_TOKEN, AccessTokens, OPERATOR_TOKEN};
pub use environment::{Captured, ColorChoice, Environment};
pub use error::{AppError, LifecycleError};
pub use event_broadcast::EventBroadcast;
pub use operations::{
    BindOperation, OPERATIONS, available_setup, resolve_cached, sign_in_link_of_host,
};
pub use options::{CommandTraits, Options};
pub use page_links::PageLinks;
pub use progress::{ProgressDisplay, ProgressLine};
pub use projects::{CURRENT as CURRENT_PROJECT, ServedProjects};
pub use registrations::Registrations;
pub use sandbox::sandbox_host;
pub use saved_tools::SavedTools;
pub use sessions::Sessions;
pub use tools::{Tools, refuse_quarantined};
pub use trust::{Trust, present_content};
pub use workspace::{NextConfiguration, Parts, Reloader, Startup, Workspace};
