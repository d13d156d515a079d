//! `trust reset`: start over after the trust database was lost.

use crate::Workspace;
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_store::SqliteStore;
use toolscout_surface::operation::{Confirm, Operation, OperationError, OperationSpec, Text};

/// Delete all trust and all approvals.
pub(crate) struct ResetTrust;

#[derive(Serialize, JsonSchema)]
pub(crate) struct TrustReset {
    /// The path that the old database was moved to; null if there was none.
    moved_to: Option<PathBuf>,
}

impl Operation<Workspace> for ResetTrust {
    type Input = NoInput;
    type Output = TrustReset;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "For a trust database that is damaged or was lost. No folder is trusted afterwards, and each tool counts as seen for the first time, also if it was rejected.",
        ],
        examples: &["toolscout trust reset --yes"],
        confirm: Confirm::Always,
        ..OperationSpec::local_change("trust reset", "Delete all trust and all approvals")
    };

    async fn run(workspace: &Workspace, _: NoInput, cx: &Cx) -> Result<TrustReset, OperationError> {
        let Some(state) = workspace.environment.state_dir() else {
            return Err(OperationError::invalid("there is no state folder")
                .hint("set TOOLSCOUT_STATE_DIR to a writable folder"));
        };
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Trust,
            subject: state.display().to_string(),
            action: "reset",
            summary: "delete all trust and all approvals, and review every tool again".to_owned(),
        })?;
        let moved_to = SqliteStore::reset_trust(&state).map_err(super::not_stored)?;
        change.commit();
        Ok(TrustReset { moved_to })
    }

    fn text(output: &TrustReset, _: &Text) -> String {
        let old = output
            .moved_to
            .as_ref()
            .map(|path| format!("The old database is {}.\n", path.display()));
        format!(
            "Reset: nothing is trusted or approved. Trust a project with `toolscout trust`.\n{}",
            old.unwrap_or_default()
        )
    }
}
