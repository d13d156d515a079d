//! The interface between HTTP and the protocol: one message in, at most one out.

use crate::mcp::client::{Client, Identity, Outlet};
use crate::mcp::message::Incoming;
use crate::mcp::server::{Reply, Server};
use std::sync::Arc;
use toolscout_core::BoxFuture;

/// Processes messages, independent of the transport.
pub trait Protocol: Send + Sync + 'static {
    /// Takes one message; see `Server::handle`. Dropping the future cancels the request.
    fn handle(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>>;

    /// Notifies a client of the old era about changes, until the future is dropped.
    fn notify_of_changes(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()>;

    /// The owner of the sessions of a client: its user, and anything else that gives its requests
    /// data of their own.
    fn session_owner(&self, identity: &Identity) -> Option<Arc<str>> {
        identity.user.clone()
    }
}

impl Protocol for Server {
    fn handle(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>> {
        Box::pin(async move { Server::handle(&self, &client, incoming, out).await })
    }

    fn notify_of_changes(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()> {
        Box::pin(async move { Server::notify_of_changes(&self, client).await })
    }

    fn session_owner(&self, identity: &Identity) -> Option<Arc<str>> {
        self.owner(identity)
    }
}
