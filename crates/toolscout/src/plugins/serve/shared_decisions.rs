//! Applies decisions of other replicas about definitions as soon as they arrive, and reports it to
//! the replica where they were made.

use super::mcp_servers::McpServers;
use crate::RunCx;
use std::convert::Infallible;
use toolscout_core::Namespace;

/// Follows the approvals of the fleet; never returns.
pub(super) async fn follow(cx: &RunCx, mcp: &McpServers) -> Infallible {
    let Some(Ok(fleet)) = cx.environment().fleet() else { return std::future::pending().await };
    let follower = fleet.follow(Namespace::Approval);
    loop {
        let revision = follower.next().await;
        let gateway = mcp.gateway().clone();
        // A review may write to the store, which waits.
        match tokio::task::spawn_blocking(move || gateway.apply_decisions()).await {
            Ok(()) => follower.applied(revision),
            Err(error) => {
                tracing::error!(event = "decisions_not_applied", %error);
                return std::future::pending().await;
            }
        }
    }
}
