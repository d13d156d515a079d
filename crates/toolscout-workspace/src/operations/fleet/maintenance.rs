//! `fleet rotate-key` and `fleet drain`.

use super::{failure, settings};
use crate::Workspace;
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};

/// Encrypt the data key with a new fleet key.
pub(crate) struct RotateFleetKey;

#[derive(Serialize, JsonSchema)]
pub(crate) struct RotatedFleetKey {
    /// Whether the key was replaced; false if it was before.
    rotated: bool,
}

impl Operation<Workspace> for RotateFleetKey {
    type Input = NoInput;
    type Output = RotatedFleetKey;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "`fleet.key` has to be NEW,OLD here and on every running replica. Afterwards, remove the old key everywhere.",
        ],
        commands: &[CommandName::new("fleet rotate-key")],
        examples: &["toolscout fleet rotate-key"],
        needs_network: true,
        ..OperationSpec::local_change("fleet rotate-key", "Replace the key of the fleet")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<RotatedFleetKey, OperationError> {
        let settings = settings(&workspace.environment)?;
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Fleet,
            subject: "key".to_owned(),
            action: "rotated",
            summary: "replace the key of the fleet".to_owned(),
        })?;
        let rotated =
            toolscout_fleet::rotate_key(&settings).await.map_err(|error| failure(&error))?;
        change.commit();
        Ok(RotatedFleetKey { rotated })
    }

    fn text(_: &RotatedFleetKey, _: &Text) -> String {
        String::new()
    }

    fn message(output: &RotatedFleetKey, _: &Text) -> String {
        if output.rotated {
            "Replaced the key. Now remove the old one from `fleet.key` of every replica.\n"
                .to_owned()
        } else {
            "Nothing to do: the database uses the first key already.\n".to_owned()
        }
    }
}

/// Drain a replica.
pub(crate) struct DrainReplica;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrainInput {
    /// The name of the replica; the one of this machine by default.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "REPLICA"}))]
    replica: Option<String>,
    /// Accept new clients again.
    #[serde(default)]
    undo: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DrainedReplica {
    /// The name of the replica.
    replica: String,
    /// `draining` or `ready`.
    state: &'static str,
}

impl Operation<Workspace> for DrainReplica {
    type Input = DrainInput;
    type Output = DrainedReplica;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Within two seconds its `GET /api/ready` returns 503, for load balancers. It serves its calls and sessions until it is stopped.",
        ],
        commands: &[CommandName::new("fleet drain")],
        examples: &["toolscout fleet drain replica-2", "toolscout fleet drain replica-2 --undo"],
        needs_network: true,
        ..OperationSpec::local_change("fleet drain", "Send new clients to other replicas")
    };

    async fn run(
        workspace: &Workspace,
        DrainInput { replica, undo }: DrainInput,
        cx: &Cx,
    ) -> Result<DrainedReplica, OperationError> {
        let settings = settings(&workspace.environment)?;
        let replica = replica.unwrap_or_else(|| workspace.environment.replica_name());
        let (action, verb) = if undo { ("ready", "stop draining") } else { ("draining", "drain") };
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Fleet,
            subject: replica.clone(),
            action,
            summary: format!("{verb} the replica `{}`", escape::line(&replica)),
        })?;
        let drained = toolscout_fleet::set_drain(&settings, &replica, !undo).await;
        drained.map_err(|error| failure(&error))?;
        change.commit();
        Ok(DrainedReplica { replica, state: action })
    }

    fn text(_: &DrainedReplica, _: &Text) -> String {
        String::new()
    }

    fn message(output: &DrainedReplica, _: &Text) -> String {
        format!("The replica {} is {} now.\n", escape::line(&output.replica), output.state)
    }
}
