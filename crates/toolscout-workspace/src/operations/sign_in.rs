//! `ui link`: a link that signs the operator in to the web UI, of this process or of the host
//! of the project.

use super::status::NoInput;
use crate::Workspace;
use crate::servers::ControlSocket;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use toolscout_core::Cx;
use toolscout_mcp_client::partition;
use toolscout_surface::operation::{
    Access, ErrorCode, HostUse, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// Create a sign-in link for the web UI.
pub(crate) struct CreateSignInLink;

#[derive(Serialize, JsonSchema)]
pub(crate) struct SignInLink {
    /// The URL. It works once, within two minutes.
    link: String,
}

impl Operation<Workspace> for CreateSignInLink {
    type Input = NoInput;
    type Output = SignInLink;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        is_decision: true,
        route: HttpRoute { method: "POST", path: "/api/sign-in-link", status: 200 },
        host: HostUse::Required,
        examples: &["toolscout ui link"],
        notes: &["The link works once, within two minutes."],
        ..OperationSpec::read("ui link", "Create a sign-in link for the web UI", "")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<SignInLink, OperationError> {
        let no_ui = || {
            let error =
                OperationError::new(ErrorCode::SourceUnavailable, "this process serves no web UI");
            error.hint("start one with `toolscout ui` or `toolscout serve --http 127.0.0.1:7420`")
        };
        workspace.parts.page_links.link().map(|link| SignInLink { link }).ok_or_else(no_ui)
    }

    fn text(output: &SignInLink, _: &Text) -> String {
        format!("{}\n", output.link)
    }
}

/// A sign-in link to the web UI of the process that hosts the servers of this project; `None`
/// if it has no UI.
pub async fn sign_in_link_of_host(workspace: &Workspace) -> Option<String> {
    let config = workspace.config();
    let control = ControlSocket::find(&workspace.environment, &partition(config.project_folder()))?;
    let response = control.run_promptly(&CreateSignInLink::SPEC.route, Map::new()).await?;
    Some(response["link"].as_str()?.to_owned())
}
