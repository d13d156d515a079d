//! `server start`, `stop`, `restart`, `enable` and `disable`.

use super::{ServerInfo, blocking, find, server_info, startable};
use crate::Workspace;
use crate::config;
use crate::error::failure;
use crate::servers::process_cx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolscout_core::change::{ChangeGuard, ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceError, SourceId, Status, escape, redact};
use toolscout_gateway::Gateway;
use toolscout_mcp_client::McpSource;
use toolscout_surface::operation::{
    CommandName, ErrorCode, HostUse, HttpRoute, Operation, OperationError, OperationSpec, Text,
    UnavailableServers,
};

/// Start, stop, restart, refresh, enable or disable a server.
pub(crate) struct ControlServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    /// The action
    action: ServerAction,
    /// Wait until the action is complete
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    wait: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(in crate::operations) enum ServerAction {
    /// Start the server and keep it running.
    Start,
    /// Stop the server; the next call starts it again.
    Stop,
    /// Stop the server and start it again.
    Restart,
    /// Enable the server.
    Enable,
    /// Disable the server, but keep its entry.
    Disable,
    /// List the tools of the server again.
    Refresh,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ControlledServer {
    /// `starting`, `stopping`, `restarting` or `refreshing`; `started`, `stopped` or `refreshed` after waiting; `enabled` or `disabled`.
    status: &'static str,
    /// The changed configuration file; missing if no file was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The server.
    server: ServerInfo,
}

impl ServerAction {
    fn verb(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart => "restart",
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::Refresh => "refresh",
        }
    }

    fn status(self) -> &'static str {
        match self {
            Self::Start => "starting",
            Self::Stop => "stopping",
            Self::Restart => "restarting",
            Self::Enable => "enabled",
            Self::Disable => "disabled",
            Self::Refresh => "refreshing",
        }
    }
}

impl Operation<Workspace> for ControlServer {
    type Input = ControlServerInput;
    type Output = ControlledServer;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("server start")
                .summary("Start a server and keep it running")
                .preset(&[("action", "\"start\""), ("wait", "true")])
                .host(HostUse::Required),
            CommandName::new("server stop")
                .summary("Stop a server; the next call starts it again")
                .preset(&[("action", "\"stop\""), ("wait", "true")])
                .host(HostUse::Required),
            CommandName::new("server restart")
                .summary("Stop a server and start it again")
                .preset(&[("action", "\"restart\""), ("wait", "true")])
                .host(HostUse::Required),
            CommandName::new("server enable")
                .summary("Enable a server")
                .preset(&[("action", "\"enable\"")]),
            CommandName::new("server disable")
                .summary("Disable a server, but keep its entry")
                .preset(&[("action", "\"disable\"")]),
        ],
        route: HttpRoute { method: "POST", path: "/api/servers/{id}/control", status: 202 },
        examples: &[
            "toolscout server start files",
            "toolscout server stop files",
            "toolscout server restart files",
            "toolscout server disable files",
            "toolscout server enable files",
        ],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::change(
            "server control",
            "Start, stop, restart, refresh, enable or disable a server",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ControlServerInput,
        cx: &Cx,
    ) -> Result<ControlledServer, OperationError> {
        let ControlServerInput { id, action, wait } = input;
        control(workspace, &id, action, wait, cx).await
    }

    fn text(output: &ControlledServer, _: &Text) -> String {
        let file = output
            .file
            .as_deref()
            .map(|file| format!(" in {}", escape::line(file)))
            .unwrap_or_default();
        format!("{} is now {}{file}.\n", output.server.id, output.status)
    }
}

/// Runs an action on a server of this project.
pub(in crate::operations) async fn control(
    workspace: &Workspace,
    id: &str,
    action: ServerAction,
    wait: bool,
    cx: &Cx,
) -> Result<ControlledServer, OperationError> {
    let id = find(&workspace.servers(), id)?.server.id.clone();
    let summary = format!("{} server `{id}`", action.verb());
    let subject = id.to_string();
    let change = cx.change(PlannedChange {
        kind: ChangeKind::Server,
        subject,
        action: action.status(),
        summary,
    })?;
    let mut file = None;
    let mut status = action.status();
    match action {
        ServerAction::Start | ServerAction::Restart => {
            let source = startable(workspace, id.as_str())?;
            check_reviewed(workspace, &id, cx)?;
            let start = start(
                workspace.gateway_for(cx),
                source,
                action == ServerAction::Restart,
                cx.clone(),
            );
            if wait {
                start.await.map_err(unavailable)?;
                status = "started";
            } else {
                workspace.tasks.spawn(async { drop(start.await) })?;
            }
        }
        ServerAction::Refresh => {
            let source = startable(workspace, id.as_str())?;
            let refresh = refresh(workspace.gateway_for(cx), source, cx.clone());
            if wait {
                refresh.await.map_err(unavailable)?;
                status = "refreshed";
            } else {
                workspace.tasks.spawn(async { drop(refresh.await) })?;
            }
        }
        // A disabled server does not run.
        ServerAction::Stop => {
            if let Ok(source) = workspace.servers().source(id.as_str()).cloned() {
                let stop = stop(workspace.gateway_for(cx), source, cx.clone());
                if wait {
                    stop.await;
                    status = "stopped";
                } else {
                    workspace.tasks.spawn(stop)?;
                }
            }
        }
        ServerAction::Enable | ServerAction::Disable => {
            file = set_enabled(workspace, id.as_str(), action == ServerAction::Enable, &change)
                .await?;
        }
    }
    change.commit();
    Ok(ControlledServer { status, file, server: server_info(workspace, &id, cx).await? })
}

/// Refuses to keep a server running whose tools wait for a review: only its discovery runs, under
/// the strictest sandbox.
fn check_reviewed(workspace: &Workspace, id: &SourceId, cx: &Cx) -> Result<(), OperationError> {
    let set = workspace.servers();
    let server = &find(&set, id.as_str())?.server;
    let snapshot = workspace.gateway_for(cx).full_snapshot();
    let mut tools = snapshot.tools_of(id).iter();
    if server.trusted || tools.any(|tool| !matches!(tool.status, Status::Quarantined(_))) {
        return Ok(());
    }
    let message = format!("no tool of `{id}` is approved yet, so it is not started");
    let hint = format!("run `toolscout server refresh {id}`, then `toolscout review {id}`");
    Err(OperationError::new(ErrorCode::Conflict, message).hint(hint))
}

/// Changes the entry; returns its file, or `None` if the entry already has this value.
async fn set_enabled(
    workspace: &Workspace,
    id: &str,
    enabled: bool,
    change: &ChangeGuard,
) -> Result<Option<String>, OperationError> {
    let configured = find(&workspace.servers(), id)?.clone();
    if configured.server.enabled == enabled {
        return Ok(None);
    }
    let file = configured.file.display().to_string();
    let editor = config::editor(workspace, "server update", &change.planned().summary);
    blocking(move || editor.set_enabled(&configured, enabled).map_err(failure)).await?;
    workspace.apply_configuration().await?;
    if enabled {
        workspace.discover_in_background(id).await?;
    }
    Ok(Some(file))
}

/// A server that fails to start is unavailable, whatever the cause.
fn unavailable(error: SourceError) -> OperationError {
    let error = OperationError::from(error);
    if error.code == ErrorCode::ToolFailed {
        error.with_code(ErrorCode::SourceUnavailable)
    } else {
        error
    }
}

async fn start(
    gateway: Arc<Gateway>,
    source: Arc<McpSource>,
    stop_first: bool,
    cx: Cx,
) -> Result<(), SourceError> {
    if stop_first {
        source.stop().await;
    }
    let id = source.server().id.clone();
    let cx = process_cx(source.server(), &cx);
    let started = source.start(&cx).await;
    match &started {
        // Sessions get the new list of tools.
        Ok(()) => drop(source.refresh(&cx).await),
        Err(error) => {
            let error = redact::text(&error.to_string());
            tracing::warn!(event = "server_start_failed", server = %id, error = %escape::line(&error));
        }
    }
    gateway.refresh_source(&id, &cx).await;
    started
}

async fn stop(gateway: Arc<Gateway>, source: Arc<McpSource>, cx: Cx) {
    let cx = process_cx(source.server(), &cx);
    source.stop().await;
    gateway.refresh_source(&source.server().id, &cx).await;
}

/// Lists the tools of a server again, and publishes them.
pub(in crate::operations) async fn refresh(
    gateway: Arc<Gateway>,
    source: Arc<McpSource>,
    cx: Cx,
) -> Result<(), SourceError> {
    let cx = process_cx(source.server(), &cx);
    let refreshed = source.refresh(&cx).await;
    gateway.refresh_source(&source.server().id, &cx).await;
    refreshed.map(drop)
}
