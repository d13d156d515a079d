//! The catalogue over HTTP, through the real program. Whatever it answers here is compared with its own document.

mod approvals;
mod catalog;
mod client;
mod events;
mod fuzzing;
mod operators;
mod projects;
mod responses;
mod server_states;
mod server_tests;
mod servers;
mod session_servers;
mod sessions;
mod settings;
mod tokens;

pub(crate) use client::Api;
