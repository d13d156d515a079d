//! Every operation of toolscout, one file each; commands, HTTP routes and socket requests are derived from this list.

mod host_link;
mod journal;
mod policy;
mod server;
mod sign_in;
mod tool;

pub use host_link::sign_in_link_of_host;

use crate::Workspace;
use sign_in::CreateSignInLink;
use tool::CallTool;
use toolscout_surface::operation::{BoundOperation, ErrorCode, OperationError, WorkspaceSlot};

/// Binds an operation to the workspace in a slot.
pub type BindOperation = fn(&WorkspaceSlot<Workspace>) -> BoundOperation;

/// Every operation, with the plugin that it belongs to: a program without the plugin is without the operation.
pub const OPERATIONS: &[(&str, BindOperation)] = &[
    ("review", BoundOperation::new::<Workspace, policy::ListPolicies>),
    ("review", BoundOperation::new::<Workspace, policy::ShowPolicy>),
    ("review", BoundOperation::new::<Workspace, policy::SetPolicy>),
    ("servers", BoundOperation::new::<Workspace, server::ListServers>),
    ("servers", BoundOperation::new::<Workspace, server::ShowServer>),
    ("servers", BoundOperation::new::<Workspace, server::AddServer>),
    ("servers", BoundOperation::new::<Workspace, server::UpdateServer>),
    ("servers", BoundOperation::new::<Workspace, server::RemoveServer>),
    ("servers", BoundOperation::new::<Workspace, server::ControlServer>),
    ("servers", BoundOperation::new::<Workspace, server::RefreshServers>),
    ("servers", BoundOperation::new::<Workspace, server::TestServer>),
    ("servers", BoundOperation::new::<Workspace, server::ShowServerLogs>),
    ("journal", BoundOperation::new::<Workspace, journal::ShowAudit>),
    ("journal", BoundOperation::new::<Workspace, journal::ShowTimeline>),
    ("journal", BoundOperation::new::<Workspace, journal::VerifyAudit>),
    ("journal", BoundOperation::new::<Workspace, journal::ShowStats>),
    ("journal", BoundOperation::new::<Workspace, journal::SuggestPins>),
    ("cli", BoundOperation::new::<Workspace, CallTool>),
    ("ui", BoundOperation::new::<Workspace, CreateSignInLink>),
];

/// Runs something that blocks on files or the store.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OperationError> + Send + 'static,
) -> Result<T, OperationError> {
    let stopped = |_| Err(OperationError::new(ErrorCode::Cancelled, "toolscout is stopping"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(stopped)
}
