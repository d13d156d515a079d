//! Asks the host of a project for a link to its web UI.

use super::control::Control;
use crate::operations::CreateSignInLink;
use crate::{RunCx, Workspace};
use serde_json::Map;
use toolscout_mcp_client::partition;
use toolscout_surface::operation::Operation;

/// A sign-in link to the web UI of the process that keeps the servers of this project; none if it has no UI.
pub(crate) async fn page_link(cx: &RunCx) -> Option<String> {
    let config = cx.workspace().config();
    let control = Control::at(cx.environment(), &partition(config.project_folder()))?;
    let response = control.run_promptly(&<CreateSignInLink as Operation<Workspace>>::SPEC, Map::new()).await?;
    Some(response["link"].as_str()?.to_owned())
}
