//! `registration remove`, and the renewal of a registration.

use super::RegistrationView;
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceId, escape};
use toolscout_surface::operation::{
    Access, CommandName, HostUse, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// Renew a registration before it expires.
pub(crate) struct RenewRegistration;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RenewRegistrationInput {
    /// The id of the source
    id: String,
    /// The new lifetime in milliseconds, counted from now; by default the one of the registration
    #[serde(default)]
    #[schemars(range(min = 1_000, max = 86_400_000))]
    ttl_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RenewedRegistration {
    /// The registration.
    registration: RegistrationView,
}

impl Operation<Workspace> for RenewRegistration {
    type Input = RenewRegistrationInput;
    type Output = RenewedRegistration;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        is_decision: true,
        route: HttpRoute { method: "POST", path: "/api/registrations/{id}/renew", status: 200 },
        commands: CommandName::NONE,
        examples: &["POST /api/registrations/{id}/renew {\"ttlMs\": 60000}"],
        ..OperationSpec::read("registration renew", "Renew a registration before it expires", "")
    };

    async fn run(
        workspace: &Workspace,
        input: RenewRegistrationInput,
        _: &Cx,
    ) -> Result<RenewedRegistration, OperationError> {
        let ttl = input.ttl_ms.map(Duration::from_millis);
        let status = workspace.registrations.renew(&input.id, ttl)?;
        workspace.registrations.write_rows(&workspace.servers(), BTreeSet::new()).await;
        Ok(RenewedRegistration { registration: RegistrationView::new(status, workspace) })
    }

    fn text(output: &RenewedRegistration, _: &Text) -> String {
        output.registration.line()
    }
}

/// Remove the tools that a program has registered.
pub(crate) struct RemoveRegistration;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveRegistrationInput {
    /// The id of the source
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RemovedRegistration {
    /// The id of the source.
    removed: String,
}

impl Operation<Workspace> for RemoveRegistration {
    type Input = RemoveRegistrationInput;
    type Output = RemovedRegistration;

    const SPEC: OperationSpec = OperationSpec {
        host: HostUse::Required,
        notes: &["The program can register its tools again. Approved definitions stay approved."],
        examples: &["toolscout registration remove billing"],
        ..OperationSpec::change(
            "registration remove",
            "Remove the tools that a program has registered",
            "DELETE",
            "/api/registrations/{id}",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: RemoveRegistrationInput,
        cx: &Cx,
    ) -> Result<RemovedRegistration, OperationError> {
        let id = input.id;
        let all = workspace.registrations.list();
        // A dry run on the command line does not ask the process that has the registration.
        if workspace.is_serving() && !all.iter().any(|status| status.id.as_str() == id) {
            let error = OperationError::not_found("Registration");
            return Err(error.hint("run `toolscout registration list` to list them"));
        }
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Registration,
            subject: id.clone(),
            action: "removed",
            summary: format!("remove the tools that `{}` has registered", escape::line(&id)),
        })?;
        workspace.registrations.remove(workspace.tools.gateway(), &id);
        let written = SourceId::new(&id).into_iter().collect::<BTreeSet<_>>();
        workspace.registrations.write_rows(&workspace.servers(), written).await;
        change.commit();
        Ok(RemovedRegistration { removed: id })
    }

    fn text(output: &RemovedRegistration, _: &Text) -> String {
        format!("Removed the tools of {}.\n", escape::line(&output.removed))
    }
}
