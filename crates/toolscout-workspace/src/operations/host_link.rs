//! Asks the host of a project for a sign-in link to its web UI.

use super::CreateSignInLink;
use crate::Workspace;
use crate::servers::ControlSocket;
use serde_json::Map;
use toolscout_mcp_client::partition;
use toolscout_surface::operation::Operation;

/// A sign-in link to the web UI of the process that hosts the servers of this project; none if it has no UI.
pub async fn sign_in_link_of_host(workspace: &Workspace) -> Option<String> {
    let config = workspace.config();
    let control = ControlSocket::at(&workspace.environment, &partition(config.project_folder()))?;
    let response = control.run_promptly(&<CreateSignInLink as Operation<Workspace>>::SPEC.route, Map::new()).await?;
    Some(response["link"].as_str()?.to_owned())
}
