//! Refreshes servers in the process that hosts them, if there is one.

use super::RefreshedServer;
use crate::Workspace;
use crate::operations::server::list::ListServers;
use crate::operations::server::refresh::RefreshServers;
use crate::servers::{ControlSocket, ServerSet};
use serde::Deserialize;
use serde_json::{Map, json};
use std::sync::Arc;
use toolscout_core::Cx;
use toolscout_mcp_client::McpSource;
use toolscout_surface::operation::Operation;

#[derive(Deserialize)]
struct HostResponse {
    servers: Vec<RefreshedServer>,
}

/// The servers that the host has refreshed. A server that runs there is listed there, so that no
/// second instance starts. Empty without a host, and if the host does not respond.
pub(super) async fn refresh(
    set: &ServerSet,
    sources: &[Arc<McpSource>],
    cx: &Cx,
) -> Vec<RefreshedServer> {
    let Some(host) = &set.control else { return Vec::new() };
    let ids = equally_configured(host, sources, cx).await;
    if ids.is_empty() {
        return Vec::new();
    }
    let route = <RefreshServers as Operation<Workspace>>::SPEC.route;
    let input = Map::from_iter([("servers".to_owned(), json!(ids))]);
    let response = host.run(&route, input, "application/json", |_| ()).await.ok();
    let response = response.filter(|response| response.status.is_success());
    let parsed =
        response.and_then(|response| serde_json::from_slice::<HostResponse>(&response.body).ok());
    let is_final = |server: &RefreshedServer| server.status == "refreshed" || server.is_timeout();
    // The host may lack a program that this process finds, so other failures are tried again here.
    parsed.into_iter().flat_map(|parsed| parsed.servers).filter(is_final).collect()
}

/// The servers that the host would start with the same command and the same values of references.
async fn equally_configured(
    host: &ControlSocket,
    sources: &[Arc<McpSource>],
    cx: &Cx,
) -> Vec<String> {
    let route = <ListServers as Operation<Workspace>>::SPEC.route;
    let listed = host.run_promptly(&route, Map::new()).await.unwrap_or_default();
    let hash_in_host = |id: &str| {
        let servers = listed["servers"].as_array()?;
        let server = servers.iter().find(|server| server["id"] == id)?;
        server["enabled"].as_bool().filter(|enabled| *enabled)?;
        server["configHash"].as_str()
    };
    let is_equal = |source: &&Arc<McpSource>| {
        let state = source.state(cx).ok();
        let ours = state.as_ref().map(|state| state.configuration.as_str());
        ours.is_some() && hash_in_host(source.server().id.as_str()) == ours
    };
    sources.iter().filter(is_equal).map(|source| source.server().id.to_string()).collect()
}
