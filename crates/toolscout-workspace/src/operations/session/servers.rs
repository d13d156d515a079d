//! `session servers` and `session control`: the servers that a session uses.

use super::find;
use crate::Workspace;
use crate::operations::server::{
    ControlServer, ControlledServer, ListServers, ServerAction, ServerList, control,
};
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_core::Cx;
use toolscout_surface::operation::{
    CommandName, ErrorCode, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// List the servers of a session.
pub(crate) struct ListSessionServers;
/// Control a server of a session.
pub(crate) struct ControlSessionServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListSessionServersInput {
    /// The id of the session
    id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlSessionServerInput {
    /// The id of the session
    id: String,
    /// The id of the server
    server: String,
    /// The action
    action: SessionServerAction,
    /// Wait until the action is complete
    #[serde(default)]
    wait: bool,
}

/// A session starts and stops servers; only the project enables and disables them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SessionServerAction {
    /// Start the server and keep it running.
    Start,
    /// Stop the server; the next call starts it again.
    Stop,
    /// Stop the server and start it again.
    Restart,
    /// List the tools of the server again.
    Refresh,
}

impl From<SessionServerAction> for ServerAction {
    fn from(action: SessionServerAction) -> Self {
        match action {
            SessionServerAction::Start => Self::Start,
            SessionServerAction::Stop => Self::Stop,
            SessionServerAction::Restart => Self::Restart,
            SessionServerAction::Refresh => Self::Refresh,
        }
    }
}

impl Operation<Workspace> for ListSessionServers {
    type Input = ListSessionServersInput;
    type Output = ServerList;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/sessions/{id}/servers"],
        ..OperationSpec::read(
            "session servers",
            "List the servers of a session and their state",
            "/api/sessions/{id}/servers",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ListSessionServersInput,
        cx: &Cx,
    ) -> Result<ServerList, OperationError> {
        let (project, _) = find(workspace, &input.id, cx)?;
        ListServers::run(&project, NoInput {}, &project.request(cx)).await
    }

    fn text(output: &ServerList, text: &Text) -> String {
        ListServers::text(output, text)
    }
}

impl Operation<Workspace> for ControlSessionServer {
    type Input = ControlSessionServerInput;
    type Output = ControlledServer;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute {
            method: "POST",
            path: "/api/sessions/{id}/servers/{server}/control",
            status: 202,
        },
        commands: CommandName::NONE,
        examples: &["POST /api/sessions/{id}/servers/files/control {\"action\": \"stop\"}"],
        notes: &["The sessions of a project share its servers."],
        ..OperationSpec::change(
            "session control",
            "Start, stop, restart or refresh a server of a session",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ControlSessionServerInput,
        cx: &Cx,
    ) -> Result<ControlledServer, OperationError> {
        let ControlSessionServerInput { id, server, action, wait } = input;
        let (project, session) = find(workspace, &id, cx)?;
        if !session.is_local {
            let message = "the session belongs to another process, which runs its own servers";
            return Err(OperationError::new(ErrorCode::Conflict, message));
        }
        control(&project, &server, action.into(), wait, &project.request(cx)).await
    }

    fn text(output: &ControlledServer, text: &Text) -> String {
        ControlServer::text(output, text)
    }
}
