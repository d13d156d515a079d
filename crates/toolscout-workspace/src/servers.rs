//! Configured MCP servers: their entries, their sources, and the process that hosts them.

mod added;
mod control;
mod hosted;
mod per_user;
mod remove;
mod server_test;
mod set;
mod socket;
mod state;
mod tokens;

pub(crate) use control::CALL_ROUTE;
pub use control::{ControlSocket, PROMPT};
pub(crate) use remove::remove;
pub use set::ServerSet;
pub(crate) use set::blocked_reason;
pub(crate) use socket::make_folder;
pub(crate) use state::{state_of, usable};
pub use tokens::{address, token_folder};
pub(crate) use try_out::{Tested, try_out};
