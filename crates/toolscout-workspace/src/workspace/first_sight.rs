//! What a person adds, and is seen by it in the same command, is approved in that command, and not by whoever looks next.

use super::Workspace;
use crate::error::describe;
use crate::servers::ServerSet;
use crate::tools::study_briefly;
use crate::{AppError, LifecycleError};
use toolscout_core::{Cx, DiagnosticKind};
use toolscout_gateway::{Approvals, Gateway, GatewayBuilder};

/// Lets a gateway see what the servers have now, which approves what is there at first sight; returns the quarantined tools.
pub(super) async fn first_sight(workspace: &Workspace, set: &ServerSet, cx: &Cx) -> Result<Vec<String>, AppError> {
    // A program without the review plugin approves nothing.
    if !workspace.parts.policies {
        return Ok(Vec::new());
    }
    // That of the run was made before the server was there.
    let gateway = set.layered().into_iter().fold(Gateway::builder(), GatewayBuilder::source);
    let gateway = gateway.approvals(Approvals::new(set.store.clone(), set.partition.as_str()));
    let gateway = gateway.searching(workspace.tools.gateway().searching_beside());
    let gateway = gateway.build().map_err(LifecycleError::from)?;
    let seen = gateway.refresh(cx).await;
    let held = seen.problems.into_iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Quarantined);
    study_briefly(&gateway).await;
    Ok(held.map(|diagnostic| describe(&diagnostic)).collect())
}
