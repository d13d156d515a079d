//! Offers tools to agents over the Model Context Protocol, in all its revisions.
//!
//! A transport reads a message and gives it to [`Server::take`]; what comes back is the answer. Everything between is the
//! same for pipes and for HTTP. Start reading there, then at `call.rs`.

pub mod http;
pub mod stdio;

mod back;
mod call;
mod client;
mod exchange;
mod face;
mod fault;
mod hello;
mod large;
mod library;
mod list;
mod listen;
mod logging;
mod message;
pub(crate) mod meta;
mod meter;
mod names;
mod object;
mod sealed;
mod server;
mod session_info;
mod terms;
mod version;
mod waiting;

pub use client::{Client, Identity, Outlet};
pub use fault::Fault;
pub use message::{Incoming, LONGEST, Request, Unreadable, read};
pub use names::Remembered;
pub use server::{Reply, Server};
pub use session_info::SessionInfo;
pub use terms::{MetaTools, RESULT, Terms};
pub use version::{MODERN, SPOKEN, Version};
