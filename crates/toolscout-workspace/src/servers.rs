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
pub use control::{ControlSocket, PROMPT_TIMEOUT};
pub(crate) use hosted::HostedSource;
pub(crate) use remove::{forget, remove};
pub(crate) use server_test::{Tested, test_server};
pub use set::ServerSet;
pub(crate) use set::blocked_reason;
pub(crate) use socket::make_folder;
pub(crate) use state::{process_cx, server_state, shared_cx, usable_tool_count};
pub use tokens::{http_endpoint, token_folder};
