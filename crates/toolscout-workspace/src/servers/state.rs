//! The state of a configured server, read without starting it.

use super::per_user::is_per_user;
use super::set::ServerSet;
use crate::AppError;
use serde::Deserialize;
use toolscout_config::ConfiguredServer;
use toolscout_core::{Cx, RawJson, ToolName};
use toolscout_mcp_client::{KnownTools, McpSource, ServerConfig, ServerState, ToolFilter};
use toolscout_source::layer::Filter;

/// The context in which this process starts and lists a server. The catalog of a process is shared
/// by its clients, so a list that the server marks as private belongs to the process, not to the
/// client that caused it. A server that needs a header of each request is not in that catalog; its
/// lists stay with their users.
pub(crate) fn process_cx(server: &ServerConfig, cx: &Cx) -> Cx {
    let user = cx.user.clone().filter(|_| is_per_user(server));
    Cx { user, ..cx.clone() }
}

/// As [`process_cx`], for servers of which none needs a header of each request.
pub(crate) fn shared_cx(cx: &Cx) -> Cx {
    Cx { user: None, ..cx.clone() }
}

/// The state of a configured server; `None` if the run has no server store.
pub(crate) fn server_state(
    set: &ServerSet,
    configured: &ConfiguredServer,
    cx: &Cx,
) -> Result<Option<ServerState>, AppError> {
    let Some(shared) = &set.shared else { return Ok(None) };
    let cx = &process_cx(&configured.server, cx);
    let running = set.sources.iter().find(|source| source.server().id == configured.server.id);
    let state = match running {
        Some(source) => source.state(cx)?,
        None => McpSource::new(configured.server.clone(), shared.clone()).state(cx)?,
    };
    Ok(Some(state))
}

/// The number of its tools that its entry does not filter out, whatever their policies.
pub(crate) fn usable_tool_count(server: &ServerConfig, known: &KnownTools) -> usize {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    if server.filter == ToolFilter::default() {
        return known.definitions.len();
    }
    let filter = Filter::patterns(server.filter.include.clone(), server.filter.exclude.clone());
    let is_usable = |raw: &&RawJson| {
        let name = serde_json::from_str::<Named>(raw.as_str())
            .ok()
            .and_then(|named| ToolName::new(&named.name).ok());
        name.is_some_and(|name| filter.allows(&name))
    };
    known.definitions.iter().filter(is_usable).count()
}
