//! MCP servers: their configuration, their state, and the operations on them.

mod control;
mod list;
mod login;
mod logs;
mod refresh;
mod remove;
mod show;
mod test;
mod update;

pub(crate) use control::ControlServer;
pub(crate) use list::ListServers;
pub(crate) use login::{LogIn, LogOut};
pub(crate) use logs::ShowServerLogs;
pub(crate) use refresh::RefreshServers;
pub(crate) use remove::RemoveServer;
pub(crate) use show::ShowServer;
pub(crate) use test::TestServer;
pub(crate) use update::{AddServer, UpdateServer};

use super::blocking;
use crate::Workspace;
use crate::error::failure;
use crate::servers::{ServerSet, state_of, usable, why_barred};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_config::ConfiguredServer;
use toolscout_core::redact::{self, REDACTED};
use toolscout_core::{Cx, Moment, SourceId, Status};
use toolscout_gateway::Snapshot;
use toolscout_mcp_client::{
    ConfigText, HttpEndpoint, McpSource, ServerState, ServerTransport, Staleness,
};
use toolscout_surface::operation::{ErrorCode, OperationError};

/// A configured server, and what it is doing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerInfo {
    /// Its id.
    pub(crate) id: String,
    /// `stdio`, `http` or `sse`.
    pub(crate) transport: &'static str,
    /// The program of a stdio server.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The arguments of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    /// The address of an HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Environment variables: references as written, and `[REDACTED]` for values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    /// HTTP headers, shown like `env`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    /// Whether it is used.
    pub(crate) enabled: bool,
    /// `configured`, `known`, `starting`, `running`, `idle`, `failed` or `disabled`.
    pub(crate) state: &'static str,
    /// The last discovery: `never`, `discovering`, `success` or `failed`.
    pub(crate) discovery_status: &'static str,
    /// When it was last asked for its tools, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_discovery: Option<String>,
    #[serde(skip)]
    pub(crate) discovered: Option<Moment>,
    /// Why the last discovery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) discovery_error: Option<String>,
    /// Why it is in its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Whether its cached tools may be outdated.
    pub(crate) stale: bool,
    /// Whether the server asks clients to list its tools before each use; its tools are stale by design.
    #[serde(skip)]
    pub(crate) is_uncacheable: bool,
    /// Tools in the cache, without those that its entry filters out.
    pub(crate) tool_count: usize,
    /// Quarantined tools among them.
    held_count: usize,
    /// Whether the tools it had at first sight are approved.
    trusted: bool,
    /// The configuration file that it is in.
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
    ) -> Self {
        let server = &configured.server;
        let record = state.map(|state| &state.record);
        let is_held = |status: &Status| matches!(status, Status::Quarantined(_));
        let held_count =
            snapshot.tools_of(&server.id).iter().filter(|tool| is_held(&tool.status)).count();
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
                None => "configured",
            },
            discovery_status: record.map_or("never", |record| record.status.word()),
            last_discovery: record
                .and_then(|record| record.last_discovery)
                .map(|moment| moment.to_string()),
            discovered: record.and_then(|record| record.last_discovery),
            discovery_error: record.and_then(|record| record.error.as_deref()).map(redact::text),
            reason: state.and_then(|state| state.reason.as_deref()).map(redact::text),
            stale: state.is_some_and(|state| state.staleness.is_some()),
            is_uncacheable: state.is_some_and(is_uncacheable),
            tool_count: record
                .and_then(|record| record.tools.as_ref())
                .map_or(0, |tools| usable(server, tools)),
            held_count,
            trusted: server.trusted,
            file: configured.file.display().to_string(),
            tools: server
                .policies
                .iter()
                .map(|(name, policy)| (name.clone(), policy.word()))
                .collect(),
        };
        match &server.transport {
            ServerTransport::Stdio(program) => {
                info.command = Some(redact::text(program.command.written()));
                info.args =
                    Some(program.args.iter().map(|arg| redact::text(arg.written())).collect());
                info.env = references(&program.env);
            }
            ServerTransport::Http(endpoint) => {
                info.url = Some(address(endpoint));
                info.headers = references(&endpoint.headers);
            }
        }
        info
    }

    /// The command or the URL, on one line.
    fn runs(&self) -> String {
        match (&self.command, &self.args) {
            (Some(command), Some(args)) => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
            _ => self.url.clone().unwrap_or_default(),
        }
    }
}

/// All configured servers. Starts no server.
async fn servers(workspace: &Workspace, cx: &Cx) -> Result<Vec<ServerInfo>, OperationError> {
    let (set, snapshot, cx) =
        (workspace.servers(), workspace.gateway_for(cx).whole_snapshot(), cx.clone());
    // Records are read from the store, which blocks.
    let all = move || {
        let info = |configured| {
            let state = state_of(&set, configured, &cx).map_err(failure)?;
            Ok(ServerInfo::new(configured, state.as_ref(), &snapshot))
        };
        set.configured.iter().map(info).collect()
    };
    blocking(all).await
}

async fn server(
    workspace: &Workspace,
    id: &SourceId,
    cx: &Cx,
) -> Result<ServerInfo, OperationError> {
    let servers = servers(workspace, cx).await?;
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
        return Err(error.hint(format!("Enable it with `toolscout server enable {id}`.")));
    }
    let source = set.source(id).map_err(failure)?;
    if source.may_start() {
        return Ok(source.clone());
    }
    let (reason, hint) = why_barred(configured);
    Err(OperationError::new(ErrorCode::PolicyDenied, reason).hint(hint))
}

fn is_uncacheable(state: &ServerState) -> bool {
    let ttl = state.record.tools.as_ref().and_then(|tools| tools.ttl_ms);
    state.staleness == Some(Staleness::Old) && ttl == Some(0)
}

/// References as written; other values are secret.
fn references(texts: &BTreeMap<String, ConfigText>) -> BTreeMap<String, String> {
    let shown =
        |text: &ConfigText| if text.is_reference() { text.written() } else { REDACTED }.to_owned();
    texts.iter().map(|(name, text)| (name.clone(), shown(text))).collect()
}

/// The address without its query, which may contain a key.
fn address(endpoint: &HttpEndpoint) -> String {
    match endpoint.url.written().split_once('?') {
        Some((place, _)) => format!("{}?{REDACTED}", redact::text(place)),
        None => redact::text(endpoint.url.written()),
    }
}
