//! Offers tools to agents over the Model Context Protocol, in all its revisions.
//!
//! A transport reads a message and passes it to [`Server::take`], which returns the response.
//! Everything in between is the same for pipes and for HTTP. Start reading there, then at
//! `call.rs`.

pub mod http;
pub mod stdio;

mod call;
mod client;
mod client_view;
mod dispatch;
mod errors;
mod exchange;
mod initialize;
mod library;
mod list;
mod listen;
mod logging;
mod message;
pub(crate) mod meta;
mod meter;
mod names;
mod object;
mod operations;
mod options;
mod result_storage;
mod resumable;
mod reverse_requests;
mod sealed;
mod server;
mod session_info;
mod suspended;
mod version;

pub use client::{Client, Identity, Outlet};
pub use message::{Incoming, LONGEST, Request, Unreadable, read};
pub use names::Remembered;
pub use operations::OperationTools;
pub use options::{MetaTools, RESULT, ServerOptions};
pub use server::{Reply, Server};
pub use session_info::SessionInfo;
pub use version::{MODERN, SPOKEN, Version};
