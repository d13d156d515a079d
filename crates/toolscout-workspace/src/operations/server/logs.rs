//! `server logs`: recent stderr output of a running server.

use super::find;
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::{Cx, escape, redact};
use toolscout_surface::operation::{
    Access, HostUse, Operation, OperationError, OperationSpec, Text, UnavailableServers,
};

/// Show recent stderr output of a server.
pub(crate) struct ShowServerLogs;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowServerLogsInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ServerLogs {
    /// Recent stderr output, redacted.
    logs: String,
    /// Whether the server is running; there is no output otherwise.
    running: bool,
}

impl Operation<Workspace> for ShowServerLogs {
    type Input = ShowServerLogsInput;
    type Output = ServerLogs;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        host: HostUse::Required,
        examples: &["toolscout server logs files"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::read(
            "server logs",
            "Show recent stderr output of a server",
            "/api/servers/{id}/logs",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ShowServerLogsInput,
        _: &Cx,
    ) -> Result<ServerLogs, OperationError> {
        let set = workspace.servers();
        find(&set, &input.id)?;
        let tail = set.source(&input.id).ok().and_then(|source| source.tail());
        Ok(ServerLogs {
            running: tail.is_some(),
            logs: tail.as_deref().map(redact::text).unwrap_or_default(),
        })
    }

    fn text(output: &ServerLogs, _: &Text) -> String {
        let text = escape::text(&output.logs).into_owned();
        if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
    }
}
