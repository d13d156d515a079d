//! Where a server on the web gets its token from.

use super::ClientError;
use toolscout_core::BoxFuture;

/// Keeps the tokens of one server for one user, and renews them.
pub trait TokenProvider: Send + Sync + 'static {
    /// A token that should still be good, renewed if it no longer is; none where nobody has logged in.
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>>;

    /// The server did not take this token. Tries to come by another one; says whether asking again is worth it.
    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool>;
}
