//! Offers tools to agents over the Model Context Protocol, in all its revisions.
//!
//! A transport reads a message and passes it to [`Server::handle`], which returns the response.
//! Everything in between is the same for pipes and for HTTP. Start reading there, then at
//! `call.rs`.

pub mod http;
pub mod stdio;

mod batch;
mod call;
mod client;
mod client_view;
mod dispatch;
mod errors;
mod exchange;
mod first_requests;
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
mod replica_tag;
mod result_storage;
mod resumable;
mod reverse_requests;
mod sealed;
mod server;
mod session_info;
mod spotlight;
mod subscriptions;
mod suspended;
mod version;

pub use client::{Client, Identity, Outlet};
pub use message::{Incoming, MAX_MESSAGE_BYTES, Request, Unreadable, parse};
pub use names::WireNameStore;
pub use operations::OperationTools;
pub use options::{DEFAULT_PAGE_SIZE, DEFAULT_RESULT_LIMIT, MetaTools, ServerOptions};
pub use sealed::Clock;
pub use server::{Reply, Server};
pub use session_info::SessionInfo;
pub use version::{MODERN, SUPPORTED_VERSIONS, Version};
