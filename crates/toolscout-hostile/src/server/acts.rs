//! What a mode may change: every act of a server, one function each.
//!
//! A mode says `Acts { list: silent, ..HONEST }` and is done. Functions and not a trait, because a hundred modes that each
//! change one thing read best as a table; what a mode remembers between two acts is in [`ModeState`](super::state::ModeState).

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
    /// Whether SIGTERM ends us.
    pub(crate) obeys_signals: bool,
    /// When stdin has ended, before we do.
    pub(crate) end_of_input: fn(),
    /// When nobody reads our output any more, before we end.
    pub(crate) broken_pipe: fn(),
    /// The tools, as an honest list would name them.
    pub(crate) tools: fn(&HostileServer) -> Vec<Value>,
    pub(crate) discover: Act,
    pub(crate) initialize: Act,
    pub(crate) list: Act,
    pub(crate) listen: Act,
    pub(crate) call: Act,
    /// What answers a request with another method, if anything does.
    pub(crate) other: fn(&HostileServer, &str) -> Option<Act>,
    /// Makes a line of a message.
    pub(crate) frame: fn(&HostileServer, &[u8]) -> Vec<u8>,
    /// Before a request over HTTP is looked at; it may be answered right here, byte by byte.
    pub(crate) http: fn(&HostileServer, &mut TcpStream, &mut PostedRequest) -> io::Result<Answered>,
}

/// Never answers.
pub(crate) fn silent(_: &ClientRequest) -> Sent {
    Ok(())
}
