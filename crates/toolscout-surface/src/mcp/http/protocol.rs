//! The interface between HTTP and the protocol: one message in, at most one out.

use crate::mcp::client::{Client, Identity, Outlet};
use crate::mcp::message::Incoming;
use crate::mcp::server::{Reply, Server};
use std::sync::Arc;
use toolscout_core::BoxFuture;

/// Processes messages, independent of the transport.
pub trait Protocol: Send + Sync + 'static {
    /// Takes one message; see `Server::take`. Dropping the future cancels the request.
    fn take(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>>;

    /// Notifies a client of the old era about changes, until the future is dropped.
    fn keep_informed(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()>;

    /// Whether both identities may use the same session, which belongs to the client that started
    /// it. By default, they must have the same user.
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
