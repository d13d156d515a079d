//! The acts of a server that a mode may change, one function each.
//!
//! A mode is defined as `Acts { list: silent, ..HONEST }`. These are functions and not a trait,
//! because a hundred modes that each change one thing read best as a table; the state of a mode
//! between two acts is in [`ModeState`](super::state::ModeState).

use super::HostileServer;
use super::request::{ClientRequest, Sent};
use crate::posted::{Answered, PostedRequest};
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

pub(crate) type Act = fn(&ClientRequest) -> Sent;

#[derive(Clone, Copy)]
pub(crate) struct Acts {
    /// Before the first byte is read.
    pub(crate) start: fn(&Arc<HostileServer>) -> Sent,
    /// Whether SIGTERM ends the process.
    pub(crate) obeys_signals: bool,
    /// After stdin has ended, before the process ends.
    pub(crate) end_of_input: fn(),
    /// After the reader of stdout has closed it, before the process ends.
    pub(crate) broken_pipe: fn(),
    /// The tools in an honest list.
    pub(crate) tools: fn(&HostileServer) -> Vec<Value>,
    pub(crate) discover: Act,
    pub(crate) initialize: Act,
    pub(crate) list: Act,
    pub(crate) listen: Act,
    pub(crate) call: Act,
    /// The act for a request with another method, if there is one.
    pub(crate) other: fn(&HostileServer, &str) -> Option<Act>,
    /// Converts a message to a line.
    pub(crate) frame: fn(&HostileServer, &[u8]) -> Vec<u8>,
    /// Before an HTTP request is handled; a mode may write the whole response itself.
    pub(crate) http: fn(&HostileServer, &mut TcpStream, &mut PostedRequest) -> io::Result<Answered>,
}

/// Never responds.
pub(crate) fn silent(_: &ClientRequest) -> Sent {
    Ok(())
}
