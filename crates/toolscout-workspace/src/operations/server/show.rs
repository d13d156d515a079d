//! `server show`: one server with its tools.

use super::sandbox::SandboxInfo;
use super::{ServerInfo, find, is_uncacheable};
use crate::Workspace;
use crate::error::failure;
use crate::operations::server_tool_description;
use crate::servers::server_state;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, Tool, escape};
use toolscout_mcp_client::{ServerState, Staleness};
use toolscout_surface::operation::{
    Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;

/// Show a server and its tools.
pub(crate) struct ShowServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

/// A server and its tools.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ServerDetails {
    /// The server.
    server: ServerInfo,
    /// When it entered its state; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Why its cached tools may be outdated.
    #[serde(rename = "staleReason", skip_serializing_if = "Option::is_none")]
    stale_reason: Option<&'static str>,
    /// The revision of MCP it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    /// The process id, if it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u32>,
    /// Rejected definitions, with the reason.
    excluded: Vec<String>,
    /// Its tools.
    tools: Vec<CatalogEntry>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CatalogEntry {
    /// `server/tool`.
    name: String,
    /// What it does; `SERVER tool: NAME` if it has no description.
    description: String,
    /// Always `mcp`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The policy configured for this tool; missing if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    configured_policy: Option<&'static str>,
    /// The status of the server's last discovery.
    discovery_status: &'static str,
    /// When the server last listed it; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_discovered: Option<String>,
    /// `ready`, `static`, `unprobed`, `unavailable` or `quarantined`.
    status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl CatalogEntry {
    /// The tool of a server, with the status of the server's last discovery.
    fn new(
        tool: &Tool,
        discovery_status: &'static str,
        configured_policy: Option<&'static str>,
    ) -> Self {
        Self {
            name: tool.id.to_string(),
            description: server_tool_description(tool),
            kind: "mcp",
            configured_policy,
            discovery_status,
            last_discovered: tool.provenance.last_listed.map(|value| value.to_string()),
            status: tool.status.as_str(),
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

impl Operation<Workspace> for ShowServer {
    type Input = ShowServerInput;
    type Output = ServerDetails;

    const SPEC: OperationSpec = OperationSpec {
        examples: &["toolscout server show files"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::read("server show", "Show a server and its tools", "/api/servers/{id}")
    };

    async fn run(
        workspace: &Workspace,
        input: ShowServerInput,
        cx: &Cx,
    ) -> Result<ServerDetails, OperationError> {
        let set = workspace.servers();
        let configured = find(&set, &input.id)?;
        let state = server_state(&set, configured, cx).map_err(failure)?;
        let gateway = workspace.full_gateway().await?;
        let server = ServerInfo::new(
            configured,
            state.as_ref(),
            &gateway.full_snapshot(),
            SandboxInfo::of(&set, configured),
        );
        let policies = &configured.server.policies;
        let policy =
            |name: &str| policies.get(name).or(policies.get("*")).copied().map(Policy::as_str);
        let snapshot = gateway.snapshot();
        let tools = snapshot.tools_of(&configured.server.id).iter();
        let tools = tools.map(|tool| {
            CatalogEntry::new(tool, server.discovery_status, policy(tool.id.name.as_str()))
        });
        let tools = tools.collect();
        let cached = state.as_ref().and_then(|state| state.record.tools.as_ref());
        Ok(ServerDetails {
            server,
            since: state.as_ref().and_then(|state| state.since).map(|moment| moment.to_string()),
            stale_reason: state.as_ref().and_then(stale_reason),
            protocol: cached.map(|tools| tools.era.version().to_owned()),
            process: state.as_ref().and_then(|state| state.process),
            excluded: cached.map_or_else(Vec::new, |tools| tools.excluded.clone()),
            tools,
        })
    }

    fn text(output: &ServerDetails, _: &Text) -> String {
        let server = &output.server;
        let mut text = format!("{}\n", server.id);
        let mut row =
            |name: &str, value: &str| text += &format!("  {name:<14} {}\n", escape::line(value));
        row("state", server.state);
        row("runs", &server.command_line());
        row("configured in", &server.file);
        let rows = [
            ("since", output.since.clone()),
            ("process", output.process.map(|id| id.to_string())),
            ("protocol", output.protocol.clone()),
            ("discovery", Some(server.discovery_status.to_owned())),
            ("discovered", server.last_discovery.clone()),
            ("error", server.discovery_error.clone()),
            ("stale", output.stale_reason.map(str::to_owned)),
            ("sandbox", server.sandbox.as_ref().map(SandboxInfo::line)),
        ];
        for (name, value) in &rows {
            value.iter().for_each(|value| row(name, value));
        }
        let denied = server.sandbox.iter().flat_map(|sandbox| &sandbox.denied);
        denied.for_each(|denied| row("denied", &denied.line()));
        output.excluded.iter().for_each(|reason| row("skipped", reason));
        let _ = writeln!(text, "  {}", counted(output.tools.len(), "tool"));
        for tool in &output.tools {
            let first = tool.description.trim().lines().next().unwrap_or_default();
            let reason = tool
                .reason
                .as_deref()
                .map(|reason| format!(" ({}: {})", tool.status, escape::line(reason)));
            let _ = writeln!(
                text,
                "    {} - {}{}",
                escape::line(&tool.name),
                escape::line(first),
                reason.unwrap_or_default()
            );
        }
        text
    }
}

fn stale_reason(state: &ServerState) -> Option<&'static str> {
    Some(match state.staleness? {
        Staleness::Old if is_uncacheable(state) => "the server does not allow caching of its tools",
        Staleness::Reconfigured => "its configuration has changed since",
        Staleness::Failed => "the last discovery failed",
        Staleness::Vanished => "the last discovery found no tools",
        Staleness::Old => "the list has expired",
    })
}
