//! The journal: the activity of agents and operators, its cost, and the integrity of the
//! record.

mod audit;
mod audit_text;
mod pins;
mod series;
mod stats;
mod stats_text;
mod verify;

pub(crate) use audit::{ShowAudit, ShowTimeline};
pub(crate) use pins::SuggestPins;
pub(crate) use series::ShowSeries;
pub(crate) use stats::ShowStats;
pub(crate) use verify::VerifyAudit;

use super::blocking;
use crate::Workspace;
use crate::error::failure;
use crate::journal::JournalHandle;
use crate::{AppError, Environment};
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_surface::operation::OperationError;

/// The note if recording is off.
const RECORDING_OFF: &str =
    "the audit log is off; see `journal` in the configuration and TOOLSCOUT_NO_JOURNAL";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SinceInput {
    /// Count only records since this time: 2h, 7d or 2026-07-28
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    since: Option<String>,
}

/// Reads the journal after all events of this process are written to it.
async fn read<T: Send + 'static>(
    workspace: &Workspace,
    read: impl FnOnce(&Environment) -> Result<T, AppError> + Send + 'static,
) -> Result<T, OperationError> {
    let (environment, journal) = (workspace.environment.clone(), workspace.parts.journal.clone());
    let work = move || {
        journal.iter().for_each(JournalHandle::flush);
        read(&environment).map_err(failure)
    };
    blocking(work).await
}

/// Whether events are recorded in this process.
fn is_recording(workspace: &Workspace) -> bool {
    workspace.parts.journal.as_ref().is_some_and(|journal| journal.is_open())
}
