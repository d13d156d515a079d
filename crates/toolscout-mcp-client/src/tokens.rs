//! The source of access tokens for remote servers.

use super::ClientError;
use toolscout_core::BoxFuture;

/// Provides the tokens of one server for one user, and renews them.
pub trait TokenProvider: Send + Sync + 'static {
    /// A valid token, renewed if necessary; `None` without a login.
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>>;

    /// The server rejected this token. Tries to renew it; returns whether the request is worth
    /// repeating.
    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool>;
}
