//! What a person adds, and is seen by it in the same command, is approved in that command, and not by whoever looks next.

use super::ServerSet;
use crate::plugins::search;
use crate::{AppError, LifecycleError, RunCx};
use toolscout_core::ProblemKind;
use toolscout_gateway::{Approvals, Gateway, GatewayBuilder};

/// Lets a gateway see what the servers have now, which approves what is there at first sight; says what is held.
pub(super) async fn first_sight(cx: &RunCx, set: &ServerSet) -> Result<(), AppError> {
    // A program may be put together without this, and approves nothing.
    if cx.commands().find("review").is_none() {
        return Ok(());
    }
    // That of the run was made before the server was there.
    let gateway = set.layered().into_iter().fold(Gateway::builder(), GatewayBuilder::source);
    let gateway = gateway.approvals(Approvals::new(set.store.clone(), set.partition.as_str()));
    let gateway = gateway.searching(cx.tools().gateway().searching_beside());
    let gateway = gateway.build().map_err(LifecycleError::from)?;
    let seen = gateway.refresh(&cx.request()).await;
    seen.problems.iter().filter(|it| it.kind == ProblemKind::Held).for_each(|it| cx.tools().warn(it));
    search::study_in(&gateway).await;
    Ok(())
}
