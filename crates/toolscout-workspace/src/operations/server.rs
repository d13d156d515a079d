//! MCP servers: their configuration, their state, and the operations on them.

mod control;
mod list;
mod login;
mod logs;
mod refresh;
mod remove;
mod sandbox;
mod show;
mod test;
mod update;

pub(crate) use control::ControlServer;
pub(super) use control::{ControlledServer, ServerAction, control, refresh};
pub(crate) use list::ListServers;
pub(super) use list::ServerList;
pub(crate) use login::{LogIn, LogOut};
pub(crate) use logs::ShowServerLogs;
pub(crate) use refresh::RefreshServers;
pub(super) use refresh::{DiscoveredServer, discover_with_progress};
pub(crate) use remove::RemoveServer;
pub(crate) use show::ShowServer;
pub(crate) use test::TestServer;
pub(crate) use update::{AddServer, UpdateServer};

use super::blocking;
use crate::Workspace;
use crate::error::failure;
use crate::servers::{ServerSet, blocked_reason, server_state, usable_tool_count};
use sandbox::SandboxInfo;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_config::ConfiguredServer;
use toolscout_core::redact::{self, REDACTED};
use toolscout_core::{Cx, Moment, SourceId, Status};
use toolscout_gateway::Snapshot;
use toolscout_mcp_client::{ConfigText, McpSource, ServerState, ServerTransport, Staleness};
use toolscout_surface::operation::{ErrorCode, OperationError};

/// A configured server and its state.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerInfo {
    /// The id of the server.
    pub(crate) id: String,
    /// `stdio`, `http` or `sse`.
    pub(crate) transport: &'static str,
    /// The command of a stdio server.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The arguments of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    /// The URL of an HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Environment variables: references as written, and `[REDACTED]` for values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    /// HTTP headers, shown like `env`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    /// Whether it is enabled.
    pub(crate) enabled: bool,
    /// `not-loaded` (its tools were never loaded), `ready` (stopped; a call starts it), `starting`, `running` (busy with a call), `idle` (running,
    /// no call), `failed` or `disabled`.
    pub(crate) state: &'static str,
    /// The status of the last discovery: `never`, `discovering`, `success` or `failed`.
    pub(crate) discovery_status: &'static str,
    /// When its tools were last loaded; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_discovery: Option<String>,
    #[serde(skip)]
    pub(crate) discovered: Option<Moment>,
    /// Why the last discovery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) discovery_error: Option<String>,
    /// The reason for its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// A keyed hash of its command, arguments, variables, folder, URL and headers; the tools are loaded again if it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    config_hash: Option<String>,
    /// Whether its cached tools may be outdated.
    pub(crate) stale: bool,
    /// Whether the server asks clients to list its tools before each use; its tools are stale by design.
    #[serde(skip)]
    pub(crate) is_uncacheable: bool,
    /// The number of cached tools, without those that its entry filters out.
    pub(crate) tool_count: usize,
    /// The number of quarantined tools among them.
    quarantined_count: usize,
    /// Whether its first list of tools is approved without a review.
    trusted: bool,
    /// What its command may reach; missing for an HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxInfo>,
    /// The configuration file of its entry.
    file: String,
    /// The policies in its entry, by tool.
    tools: BTreeMap<String, &'static str>,
}

impl ServerInfo {
    /// A configured server with its state, if known.
    fn new(
        configured: &ConfiguredServer,
        state: Option<&ServerState>,
        snapshot: &Snapshot,
        sandbox: SandboxInfo,
    ) -> Self {
        let server = &configured.server;
        let record = state.map(|state| &state.record);
        let is_quarantined = |status: &Status| matches!(status, Status::Quarantined(_));
        let quarantined_count = snapshot
            .tools_of(&server.id)
            .iter()
            .filter(|tool| is_quarantined(&tool.status))
            .count();
        let mut info = Self {
            id: server.id.to_string(),
            transport: server.transport.word(),
            command: None,
            args: None,
            url: None,
            env: BTreeMap::new(),
            headers: BTreeMap::new(),
            enabled: server.enabled,
            state: match state {
                _ if !server.enabled => "disabled",
                Some(state) => state.state.word(),
                None => "not-loaded",
            },
            discovery_status: record.map_or("never", |record| record.status.word()),
            last_discovery: record
                .and_then(|record| record.last_discovery)
                .map(|moment| moment.to_string()),
            discovered: record.and_then(|record| record.last_discovery),
            discovery_error: record.and_then(|record| record.error.as_deref()).map(redact::text),
            reason: state.and_then(|state| state.reason.as_deref()).map(redact::text),
            config_hash: state.map(|state| state.configuration.clone()),
            stale: state.is_some_and(|state| state.staleness.is_some()),
            is_uncacheable: state.is_some_and(is_uncacheable),
            tool_count: record
                .and_then(|record| record.tools.as_ref())
                .map_or(0, |tools| usable_tool_count(server, tools)),
            quarantined_count,
            trusted: server.trusted,
            sandbox: None,
            file: configured.file.display().to_string(),
            tools: server
                .policies
                .iter()
                .map(|(name, policy)| (name.clone(), policy.as_str()))
                .collect(),
        };
        match &server.transport {
            ServerTransport::Stdio(program) => {
                info.command = Some(redact::text(program.command.written()));
                info.args =
                    Some(program.args.iter().map(|arg| redact::text(arg.written())).collect());
                info.env = redacted_values(&program.env);
                info.sandbox = Some(sandbox);
            }
            ServerTransport::Http(endpoint) => {
                info.url = Some(endpoint.redacted_url());
                info.headers = redacted_values(&endpoint.headers);
            }
        }
        info
    }

    /// The command or the URL, on one line.
    fn command_line(&self) -> String {
        match (&self.command, &self.args) {
            (Some(command), Some(args)) => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
            _ => self.url.clone().unwrap_or_default(),
        }
    }
}

/// All configured servers. Starts no server.
async fn server_infos(workspace: &Workspace, cx: &Cx) -> Result<Vec<ServerInfo>, OperationError> {
    let (set, snapshot, cx) =
        (workspace.servers(), workspace.gateway_for(cx).full_snapshot(), cx.clone());
    // Records are read from the store, which blocks.
    let all = move || {
        let info = |configured| {
            let state = server_state(&set, configured, &cx).map_err(failure)?;
            let sandbox = SandboxInfo::of(&set, configured);
            Ok(ServerInfo::new(configured, state.as_ref(), &snapshot, sandbox))
        };
        set.configured.iter().map(info).collect()
    };
    blocking(all).await
}

async fn server_info(
    workspace: &Workspace,
    id: &SourceId,
    cx: &Cx,
) -> Result<ServerInfo, OperationError> {
    let servers = server_infos(workspace, cx).await?;
    servers
        .into_iter()
        .find(|server| server.id == id.as_str())
        .ok_or_else(|| OperationError::not_found("Server"))
}

/// The server of this id; an error names the nearest one.
fn find<'a>(set: &'a ServerSet, id: &str) -> Result<&'a ConfiguredServer, OperationError> {
    set.find(id).map_err(failure)
}

/// A server that may be started here.
fn startable(workspace: &Workspace, id: &str) -> Result<Arc<McpSource>, OperationError> {
    let set = workspace.servers();
    let configured = find(&set, id)?;
    if !configured.server.enabled {
        let error = OperationError::new(ErrorCode::Conflict, format!("server `{id}` is disabled"));
        return Err(error.hint(format!("enable it with `toolscout server enable {id}`")));
    }
    let source = set.source(id).map_err(failure)?;
    if source.may_start() {
        return Ok(source.clone());
    }
    Err(blocked(configured))
}

/// The error about a server that may not be started here.
fn blocked(configured: &ConfiguredServer) -> OperationError {
    let (reason, hint) = blocked_reason(configured);
    OperationError::new(ErrorCode::PolicyDenied, reason).hint(hint)
}

fn is_uncacheable(state: &ServerState) -> bool {
    let ttl = state.record.tools.as_ref().and_then(|tools| tools.ttl_ms);
    state.staleness == Some(Staleness::Old) && ttl == Some(0)
}

/// References as written; other values are secret.
fn redacted_values(texts: &BTreeMap<String, ConfigText>) -> BTreeMap<String, String> {
    let shown =
        |text: &ConfigText| if text.is_reference() { text.written() } else { REDACTED }.to_owned();
    texts.iter().map(|(name, text)| (name.clone(), shown(text))).collect()
}
