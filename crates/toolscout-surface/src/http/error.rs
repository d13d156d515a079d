//! Errors of starting a listener.

use std::io;
use std::net::SocketAddr;

/// An error of starting a listener, for the operator who starts it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Other machines could run tools without authentication.
    #[error(
        "`{addr}` is reachable from other machines, and without authentication anyone there could run every tool: add `--auth token`, or listen on `127.0.0.1:{port}`", port = addr.port()
    )]
    Open {
        /// The configured address.
        addr: SocketAddr,
    },
    /// The address cannot be bound.
    #[error(
        "cannot listen on `{addr}`: {error}; if the port is in use, `--http 127.0.0.1:0` picks a free one"
    )]
    Bind {
        /// The configured address.
        addr: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// It is not a host name.
    #[error(
        "`{0}` is not a host: use a name or an IP address, optionally with a port, such as `tools.example.com`"
    )]
    Host(String),
    /// It is not an origin.
    #[error(
        "`{0}` is not an origin: use scheme, host and port, such as `https://app.example.com`; `*` is not allowed"
    )]
    Origin(String),
    /// The token is too short.
    #[error("the token `{0}` is shorter than {min} characters: use a longer one", min = super::auth::MIN_TOKEN_LENGTH)]
    Token(String),
    /// Token authentication without any token.
    #[error("no token is configured, so no request could be authenticated")]
    NoToken,
    /// The settings for tokens of an issuer are wrong.
    #[error("{0}")]
    Issuer(String),
}
