//! `server list`: every configured server.

use super::{ServerInfo, server_infos};
use crate::Workspace;
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::{Cx, Moment, escape};
use toolscout_surface::operation::{
    CommandName, HostUse, Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::age;
use toolscout_surface::output::counted;
use toolscout_surface::output::table::{Cell, table};

/// List MCP servers.
pub(crate) struct ListServers;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ServerList {
    servers: Vec<ServerInfo>,
}

impl Operation<Workspace> for ListServers {
    type Input = NoInput;
    type Output = ServerList;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("server list"),
            CommandName::new("server").summary("Add, list, test and control MCP servers"),
        ],
        host: HostUse::Preferred,
        notes: &["Starts no server; shows cached data."],
        examples: &["toolscout server list"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::read("server list", "List MCP servers", "/api/servers")
    };

    async fn run(workspace: &Workspace, _: NoInput, cx: &Cx) -> Result<ServerList, OperationError> {
        // Discovery determines which tools are quarantined; it reads the cache.
        workspace.full_gateway().await?;
        Ok(ServerList { servers: server_infos(workspace, cx).await? })
    }

    fn text(output: &ServerList, text: &Text) -> String {
        let servers = &output.servers;
        if servers.is_empty() {
            let add = "toolscout server add ID -- COMMAND";
            return format!(
                "No servers configured. Add one with `{add}`, or import them with `toolscout import`.\n"
            );
        }
        if text.is_terminal {
            return table(&servers.iter().flat_map(rows).collect::<Vec<_>>(), text);
        }
        let width = servers.iter().map(|server| server.id.len()).max().unwrap_or(0);
        servers.iter().map(|server| line(server, width)).collect()
    }
}

/// The columns for a terminal; an error has a row of its own.
fn rows(server: &ServerInfo) -> Vec<Vec<Cell>> {
    let state = match server.discovery_status {
        "discovering" => "loading",
        _ => server.state,
    };
    let tools = Cell::text(counted(server.tool_count, "tool"));
    let details = format!("{}, {}", server.transport, freshness(server));
    let row = vec![Cell::id(server.id.as_str()), Cell::state(state), tools, Cell::faint(details)];
    let error = server.discovery_error.as_ref();
    let error = error.map(|error| vec![Cell::text(""), Cell::text(escape::line(error))]);
    std::iter::once(row).chain(error).collect()
}

fn line(server: &ServerInfo, width: usize) -> String {
    let tools = counted(server.tool_count, "tool");
    let mut line = format!(
        "  {:<width$}  {:<10}  {tools:<9}  {}, {}\n",
        server.id,
        server.state,
        server.transport,
        freshness(server)
    );
    if let Some(error) = &server.discovery_error {
        line += &format!("  {:<width$}  {}\n", "", escape::line(error));
    }
    line
}

/// When its tools were loaded.
fn freshness(server: &ServerInfo) -> String {
    let age = match server.discovered {
        _ if server.discovery_status == "discovering" => "loading tools".to_owned(),
        Some(moment) => {
            let verb = if server.discovery_status == "failed" { "failed" } else { "refreshed" };
            format!("{verb} {} ago", age(moment.age(Moment::now())))
        }
        None => "never refreshed".to_owned(),
    };
    let stale = if server.stale && !server.is_uncacheable { ", stale" } else { "" };
    age + stale
}
