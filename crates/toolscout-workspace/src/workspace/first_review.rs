//! Approves the tools of a server at first sight, in the command that adds it.

use super::Workspace;
use crate::error::describe;
use crate::servers::{ServerSet, shared_cx};
use crate::workspace::background_index::index_briefly;
use crate::{AppError, LifecycleError};
use toolscout_core::{Cx, DiagnosticKind};
use toolscout_gateway::{Approvals, Gateway, GatewayBuilder};

/// Reviews the current tools of the servers, which approves them at first sight; returns the
/// quarantined ones.
pub(super) async fn review_new_tools(
    workspace: &Workspace,
    set: &ServerSet,
    cx: &Cx,
) -> Result<Vec<String>, AppError> {
    // A program without the review plugin approves nothing.
    if !workspace.parts.policies {
        return Ok(Vec::new());
    }
    // The gateway of the run was built before the server was added.
    let gateway = set.layered().into_iter().fold(Gateway::builder(), GatewayBuilder::source);
    let gateway = gateway.approvals(Approvals::new(set.store.clone(), set.partition.as_str()));
    let gateway = gateway.search_engine(workspace.tools.gateway().shared_search_engine());
    let gateway = gateway.build().map_err(LifecycleError::from)?;
    let outcome = gateway.refresh(&shared_cx(cx)).await;
    let quarantined = outcome
        .diagnostics
        .into_iter()
        .filter(|diagnostic| diagnostic.kind == DiagnosticKind::Quarantined);
    index_briefly(workspace, &gateway).await;
    Ok(quarantined.map(|diagnostic| describe(&diagnostic)).collect())
}
