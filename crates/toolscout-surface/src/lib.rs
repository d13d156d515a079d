//! Who asks: translates argv, MCP and HTTP into questions to the gateway, and its answers into bytes.
//!
//! Knows the words of each surface and nothing of where tools come from. Start reading at [`ops`], what can be asked;
//! [`cli`] is how a command line asks it.

pub mod api;
pub mod cli;
pub mod codes;
pub mod context;
pub mod http;
pub mod mcp;
pub mod operation;
pub mod ops;
pub mod output;
pub mod page;
pub mod tokens;
