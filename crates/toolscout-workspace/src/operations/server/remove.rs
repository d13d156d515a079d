//! `server remove`: delete a server from the configuration and the cache.

use super::{blocking, find};
use crate::Workspace;
use crate::config;
use crate::error::failure;
use crate::servers::remove;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{
    Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;

/// Remove a server.
pub(crate) struct RemoveServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemovedServer {
    /// The id of the server.
    id: String,
    /// The changed configuration file.
    file: String,
    /// The number of tools deleted from the cache.
    removed_tools: usize,
}

impl Operation<Workspace> for RemoveServer {
    type Input = RemoveServerInput;
    type Output = RemovedServer;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["The rest of the file stays as it is, including comments."],
        examples: &["toolscout server remove files"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::change("server remove", "Remove a server", "DELETE", "/api/servers/{id}")
    };

    async fn run(
        workspace: &Workspace,
        input: RemoveServerInput,
        cx: &Cx,
    ) -> Result<RemovedServer, OperationError> {
        let set = workspace.servers();
        let configured = find(&set, &input.id)?.clone();
        let (id, file) = (configured.server.id.to_string(), configured.file.display().to_string());
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Server,
            subject: id.clone(),
            action: "removed",
            summary: format!("remove server `{id}` from {file}"),
        })?;
        let editor = config::editor(workspace, Self::SPEC.name, &change.planned().summary);
        let removed_tools =
            blocking(move || remove(&set, &configured, &editor).map_err(failure)).await?;
        workspace.apply_configuration().await?;
        change.commit();
        Ok(RemovedServer { id, file, removed_tools })
    }

    fn text(output: &RemovedServer, _: &Text) -> String {
        let tools = counted(output.removed_tools, "tool");
        format!(
            "Removed {} from {} ({tools} deleted from the cache).\n",
            output.id,
            escape::line(&output.file)
        )
    }
}
