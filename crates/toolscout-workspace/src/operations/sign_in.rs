//! `ui link`: a link that signs the operator in at the web UI.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::Cx;
use toolscout_surface::operation::{
    Access, ErrorCode, HostUse, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// Create a sign-in link for the web UI.
pub(crate) struct CreateSignInLink;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateSignInLinkInput {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SignInLink {
    /// The address; it works once, within two minutes.
    link: String,
}

impl Operation<Workspace> for CreateSignInLink {
    type Input = CreateSignInLinkInput;
    type Output = SignInLink;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        route: HttpRoute { method: "POST", path: "/api/sign-in-link", status: 200 },
        host: HostUse::Required,
        notes: &["The link works once, within two minutes."],
        ..OperationSpec::read("ui link", "Create a sign-in link for the web UI", "")
    };

    async fn run(workspace: &Workspace, _: CreateSignInLinkInput, _: &Cx) -> Result<SignInLink, OperationError> {
        let no_ui = || {
            let error = OperationError::new(ErrorCode::SourceUnavailable, "this process serves no web UI");
            error.hint("Start one with `toolscout ui` or `toolscout serve --http 127.0.0.1:7420`.")
        };
        workspace.parts.page_links.link().map(|link| SignInLink { link }).ok_or_else(no_ui)
    }

    fn text(output: &SignInLink, _: &Text) -> String {
        format!("{}\n", output.link)
    }
}
