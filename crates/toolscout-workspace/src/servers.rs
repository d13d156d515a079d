//! Configured MCP servers: their entries, their sources, and the process that hosts them.

mod control;
mod hosted;
mod per_user;
mod person;
mod remove;
mod request_sources;
mod set;
mod socket;
mod state;
mod tokens;
mod try_out;

pub use control::{CALL_ROUTE, Control, PROMPT};
pub use remove::remove;
pub use request_sources::add_request_sources;
pub use set::{ServerSet, why_barred};
pub(crate) use socket::make_folder;
pub use state::{state_of, usable};
pub use tokens::{address, token_folder};
pub use try_out::try_out;
