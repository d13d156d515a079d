//! Errors of starting a listener.

use std::io;
use std::net::SocketAddr;

/// An error of starting a listener, for the operator who starts it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Other machines could run tools without authentication.
    #[error(
        "`{addr}` can be reached from other computers, and whoever reaches it could run every tool: \
         add `--auth token`, or listen on `127.0.0.1:{port}`", port = addr.port()
    )]
    Open {
        /// The configured address.
        addr: SocketAddr,
    },
    /// The address cannot be bound.
    #[error(
        "cannot listen on `{addr}`: {error}; is something else listening there? `--http 127.0.0.1:0` takes a free port"
    )]
    Bind {
        /// The configured address.
        addr: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// It is not a host name.
    #[error(
        "`{0}` is no host: write a name or an address, with a port or without, such as `tools.example.com`"
    )]
    Host(String),
    /// It is not an origin.
    #[error(
        "`{0}` is no origin: write scheme, host and port, such as `https://app.example.com`; `*` is not taken"
    )]
    Origin(String),
    /// The token is too short.
    #[error("the token `{0}` is shorter than {min} characters: make a longer one", min = super::auth::SHORTEST)]
    Token(String),
    /// Token authentication without any token.
    #[error("no token is configured, so no request could be authenticated")]
    NoToken,
    /// The settings for tokens of an issuer are wrong.
    #[error("{0}")]
    Issuer(String),
}
