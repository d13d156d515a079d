//! What a mode may change: every act of a server, one function each.
//!
//! A mode says `Acts { list: silent, ..HONEST }` and is done. Functions and not a trait, because a hundred modes that each
//! change one thing read best as a table; what a mode remembers between two acts is in [`Memory`](crate::server::Memory).

use crate::honest;
use crate::http::{Answered, Posted};
use crate::request::{Gone, Request};
use crate::server::Server;
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

/// What became of something we wrote; the error says that nobody reads any more.
pub(crate) type Sent = Result<(), Gone>;

pub(crate) type Act = fn(&Request) -> Sent;

#[derive(Clone, Copy)]
pub(crate) struct Acts {
    /// Before the first byte is read.
    pub(crate) start: fn(&Arc<Server>) -> Sent,
    /// Whether SIGTERM ends us.
    pub(crate) obeys_signals: bool,
    /// When stdin has ended, before we do.
    pub(crate) end_of_input: fn(),
    /// When nobody reads our output any more, before we end.
    pub(crate) broken_pipe: fn(),
    /// The tools, as an honest list would name them.
    pub(crate) tools: fn(&Server) -> Vec<Value>,
    pub(crate) discover: Act,
    pub(crate) initialize: Act,
    pub(crate) list: Act,
    pub(crate) listen: Act,
    pub(crate) call: Act,
    /// Makes a line of a message.
    pub(crate) frame: fn(&Server, &[u8]) -> Vec<u8>,
    /// Before a request over HTTP is looked at; it may be answered right here, byte by byte.
    pub(crate) http: fn(&Server, &mut TcpStream, &mut Posted) -> io::Result<Answered>,
}

pub(crate) const HONEST: Acts = Acts {
    start: |_| Ok(()),
    obeys_signals: true,
    end_of_input: || (),
    broken_pipe: || (),
    tools: honest::tools,
    discover: honest::discover,
    initialize: honest::initialize,
    list: honest::list,
    listen: honest::listen,
    call: honest::call,
    frame: |_, message| [message, b"\n"].concat(),
    http: |_, _, _| Ok(Answered::NotYet),
};

/// Never answers.
pub(crate) fn silent(_: &Request) -> Sent {
    Ok(())
}
