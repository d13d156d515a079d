//! Commands about MCP servers, with a server that behaves well or misbehaves on purpose.
//!
//! The servers log every event, so the tests wait for events and not for fixed times.

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
