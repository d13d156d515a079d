//! `token revoke`: ends a token.

use super::rotate::TokenNameInput;
use super::{contended, find, forget_use, is_built_in, store_error};
use crate::Workspace;
use crate::access_tokens::record;
use crate::fleet::ChangeReach;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, Namespace};
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Revoke an access token.
pub(crate) struct RevokeToken;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevokedToken {
    /// The name of the token.
    name: String,
    /// In a fleet: the replicas that refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_force: Option<ChangeReach>,
}

impl Operation<Workspace> for RevokeToken {
    type Input = TokenNameInput;
    type Output = RevokedToken;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["A running `toolscout serve` refuses the token at once."],
        examples: &["toolscout token revoke ada-laptop"],
        ..OperationSpec::change(
            "token revoke",
            "Revoke an access token",
            "DELETE",
            "/api/tokens/{name}",
        )
    };

    async fn run(
        workspace: &Workspace,
        TokenNameInput { name }: TokenNameInput,
        cx: &Cx,
    ) -> Result<RevokedToken, OperationError> {
        if is_built_in(&name) {
            let message = format!("the built-in token `{name}` cannot be revoked");
            let hint = format!("replace its value with `toolscout token rotate {name}`");
            return Err(OperationError::invalid(message).hint(hint));
        }
        let store = workspace.environment.store();
        let (_, bytes) = find(&*store, &name)?;
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Token,
            subject: name.clone(),
            action: "revoked",
            summary: format!("revoke the token `{name}`"),
        })?;
        if !record::swap(&*store, &name, Some(&bytes), None, &cx.decider()).map_err(store_error)? {
            return Err(contended());
        }
        change.commit();
        forget_use(&*store, &name);
        let in_force = ChangeReach::of(&workspace.environment, Namespace::AccessToken).await;
        Ok(RevokedToken { name, in_force })
    }

    fn text(output: &RevokedToken, _: &Text) -> String {
        let reach = output.in_force.as_ref().map(ChangeReach::line).unwrap_or_default();
        format!("Revoked the token {}\n{reach}", output.name)
    }
}
