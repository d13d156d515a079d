//! The surfaces of toolscout: command line, HTTP API, MCP server and web UI.
//!
//! Start reading at [`operation`]: everything toolscout can do is an operation, and a surface
//! only presents it. No code in this crate knows where tools come from.

pub mod api;
pub mod cli;
pub mod codes;
pub mod context;
mod exit;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod http;
pub mod mcp;
pub mod operation;
pub mod output;
pub mod page;
pub mod search;
pub mod tokens;
