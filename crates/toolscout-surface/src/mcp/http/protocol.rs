//! What HTTP needs of whoever answers: one message in, perhaps one out.

use crate::mcp::client::{Client, Identity, Outlet};
use crate::mcp::message::Incoming;
use crate::mcp::server::{Reply, Server};
use std::sync::Arc;
use toolscout_core::BoxFuture;

/// Answers messages, however they came.
pub trait Protocol: Send + Sync + 'static {
    /// Takes one message; see `Server::take`. Dropping the future cancels the request.
    fn take(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>>;

    /// Tells a client of the old era what changes, until it is dropped.
    fn keep_informed(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()>;

    /// Whether both are the same to who answers: a session is for who began it. Default: where the user is.
    fn is_same(&self, one: &Identity, other: &Identity) -> bool {
        one.user == other.user
    }
}

impl Protocol for Server {
    fn take(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>> {
        Box::pin(async move { Server::take(&self, &client, incoming, out).await })
    }

    fn keep_informed(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()> {
        Box::pin(async move { Server::keep_informed(&self, client).await })
    }

    fn is_same(&self, one: &Identity, other: &Identity) -> bool {
        self.owner(one) == self.owner(other)
    }
}
