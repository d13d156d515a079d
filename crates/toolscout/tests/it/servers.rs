//! What a user sees of MCP servers, against a server that behaves well or badly on purpose.
//!
//! What happened is counted in the servers' own log, so nothing here waits for a time to pass that can wait for an event.

mod add;
mod configuration;
mod doctor;
mod dry_run;
pub(crate) mod fixture;
mod hints;
mod host;
mod import;
mod refresh;
mod secrets;
mod tool_lists;
mod web;
