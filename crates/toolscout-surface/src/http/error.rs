//! Why nothing is listened to.

use std::io;
use std::net::SocketAddr;

/// Why nothing is listened to; every one is for the person who starts it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Others could run tools, and nobody would ask who they are.
    #[error(
        "`{addr}` can be reached from other computers, and whoever reaches it could run every tool: \
         add `--auth token`, or listen on `127.0.0.1:{port}`", port = addr.port()
    )]
    Open {
        /// Where it should have listened.
        addr: SocketAddr,
    },
    /// The address cannot be had.
    #[error(
        "cannot listen on `{addr}`: {error}; is something else listening there? `--http 127.0.0.1:0` takes a free port"
    )]
    Bind {
        /// Where it should have listened.
        addr: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// It is no name of a host.
    #[error("`{0}` is no host: write a name or an address, with a port or without, such as `tools.example.com`")]
    Host(String),
    /// It is nowhere a page can come from.
    #[error("`{0}` is no origin: write scheme, host and port, such as `https://app.example.com`; `*` is not taken")]
    Origin(String),
    /// It could be guessed.
    #[error("the token `{0}` is shorter than {min} characters: make a longer one", min = super::auth::SHORTEST)]
    Token(String),
    /// There is nobody who could be let in.
    #[error("there is no token: without one nobody could be let in")]
    NoToken,
    /// The settings for tokens of an issuer are wrong.
    #[error("{0}")]
    Issuer(String),
}
