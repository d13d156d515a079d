//! What a user sees of MCP servers, against a server that behaves well or badly on purpose.
//!
//! What happened is counted in the servers' own log, so nothing here waits for a time to pass that can wait for an event.

mod adding;
mod configuration;
mod doctor;
mod hints;
mod hosting;
mod importing;
mod listing;
mod refreshing;
mod rehearsing;
pub(crate) mod scene;
mod secrets;
mod web;
