//! `token rotate`: replaces the value of a token.

use super::{IssuedToken, TokenInfo, contended, find, is_built_in, store_error};
use crate::Workspace;
use crate::access_tokens::{BUILT_IN, file, record, state_file};
use crate::error::failure;
use crate::fleet::ChangeReach;
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, Namespace, Store};
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Replace the value of an access token.
pub(crate) struct RotateToken;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenNameInput {
    /// Name of the token
    #[schemars(extend("x-cli" = {"positional": true}))]
    pub(super) name: String,
}

impl Operation<Workspace> for RotateToken {
    type Input = TokenNameInput;
    type Output = IssuedToken;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Prints the new value to standard output. A running `toolscout serve` refuses the old value at once. The built-in tokens `agent` and `operator` are replaced in their files.",
        ],
        examples: &["toolscout token rotate agent"],
        ..OperationSpec::change(
            "token rotate",
            "Replace the value of an access token",
            "POST",
            "/api/tokens/{name}/rotate",
        )
    };

    async fn run(
        workspace: &Workspace,
        TokenNameInput { name }: TokenNameInput,
        cx: &Cx,
    ) -> Result<IssuedToken, OperationError> {
        let store = workspace.environment.store();
        let earlier = if is_built_in(&name) { None } else { Some(find(&*store, &name)?) };
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Token,
            subject: name.clone(),
            action: "rotated",
            summary: format!("replace the value of the token `{name}`"),
        })?;
        let (token, value) = match earlier {
            None => rotate_built_in(workspace, &name, &*store)?,
            Some((record, bytes)) => {
                let value = file::generate().map_err(failure)?;
                let record = record.with_value(&value);
                if !record::swap(&*store, &name, Some(&bytes), Some(&record), &cx.decider())
                    .map_err(store_error)?
                {
                    return Err(contended());
                }
                (TokenInfo::named(&name, &record, &*store), value)
            }
        };
        change.commit();
        let in_force = if is_built_in(&name) {
            None
        } else {
            ChangeReach::of(&workspace.environment, Namespace::AccessToken).await
        };
        Ok(IssuedToken { token, value, warnings: Vec::new(), in_force })
    }

    fn text(output: &IssuedToken, _: &Text) -> String {
        output.line()
    }

    fn is_data(_: &IssuedToken) -> bool {
        true
    }

    fn message(output: &IssuedToken, _: &Text) -> String {
        let reach = output.in_force.as_ref().map(ChangeReach::line).unwrap_or_default();
        format!("The old value of {} is no longer valid.\n{reach}", output.token.name)
    }
}

fn rotate_built_in(
    workspace: &Workspace,
    name: &str,
    store: &dyn Store,
) -> Result<(TokenInfo, String), OperationError> {
    let environment = &workspace.environment;
    let built_in = BUILT_IN.into_iter().find(|(built_in, ..)| *built_in == name);
    let (name, file, role) = built_in.ok_or_else(contended)?;
    let value = file::replace(environment, file).map_err(failure)?;
    let path = state_file(environment, file).map_err(failure)?;
    Ok((TokenInfo::built_in(name, &path, role, store), value))
}
