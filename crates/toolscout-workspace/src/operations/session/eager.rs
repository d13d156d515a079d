//! Starts and refreshes the servers of a session before their first call.

use crate::Workspace;
use futures_util::StreamExt;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::timeout;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::cx::Role;
use toolscout_core::{Cx, SourceId, escape, redact};
use toolscout_gateway::Gateway;
use toolscout_mcp_client::McpSource;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The number of servers that start at the same time.
const CONCURRENT_STARTS: usize = 8;

/// A server that was started for a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct StartedServer {
    /// The id of the server.
    id: String,
    /// `running`, `starting` or `failed`.
    state: &'static str,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The outcome for one server: an error message, if it failed.
type Outcome = (SourceId, Option<String>);

/// Starts every server that the caller can use, and lists its tools again. Returns when all have
/// answered, or after `serve.wait_for_discovery`; the others continue in the background.
pub(super) async fn start_servers(
    workspace: &Workspace,
    cx: &Cx,
) -> Result<Vec<StartedServer>, OperationError> {
    if cx.role != Role::Operator {
        let error = OperationError::new(ErrorCode::Forbidden, "`eager` starts servers");
        return Err(error.hint("use an operator token, or leave `eager` out"));
    }
    let gateway = workspace.gateway_for(cx);
    let view = gateway.view(cx).await;
    let set = workspace.servers();
    let is_used =
        |source: &&Arc<McpSource>| source.may_start() && view.source(&source.server().id).is_some();
    let sources: Vec<_> = set.sources.iter().filter(is_used).cloned().collect();
    for source in &sources {
        let id = source.server().id.to_string();
        let summary = format!("start server `{id}` for a session");
        let (kind, action) = (ChangeKind::Server, "starting");
        cx.change(PlannedChange { kind, subject: id, action, summary })?.commit();
    }
    let mut states: BTreeMap<_, _> =
        sources.iter().map(|source| (source.server().id.clone(), ("starting", None))).collect();
    let (sender, mut outcomes) = mpsc::unbounded_channel::<Outcome>();
    // The servers continue to start when the request ends, and their lists belong to the process.
    let request = Cx { deadline: None, user: None, ..cx.clone() };
    workspace.tasks.spawn(start_all(gateway, sources, request, sender))?;
    let answered = async {
        while let Some((id, error)) = outcomes.recv().await {
            let state = if error.is_some() { "failed" } else { "running" };
            states.insert(id, (state, error));
        }
    };
    let _ = timeout(workspace.config().settings.serve.discovery_wait(), answered).await;
    let server = |(id, (state, error)): (SourceId, (_, _))| StartedServer {
        id: id.to_string(),
        state,
        error,
    };
    Ok(states.into_iter().map(server).collect())
}

async fn start_all(
    gateway: Arc<Gateway>,
    sources: Vec<Arc<McpSource>>,
    cx: Cx,
    outcomes: UnboundedSender<Outcome>,
) {
    let (gateway, cx) = (&gateway, &cx);
    let starts = sources.into_iter().map(|source| async move {
        let id = source.server().id.clone();
        let started = match source.warm_up(cx).await {
            Ok(()) => source.refresh(cx).await.map(drop),
            Err(error) => Err(error),
        };
        gateway.refresh_source(&id, cx).await;
        (id, started)
    });
    let mut starts = std::pin::pin!(stream::iter(starts).buffer_unordered(CONCURRENT_STARTS));
    while let Some((id, started)) = starts.next().await {
        let error = started.err().map(|error| redact::text(&error.to_string()));
        if let Some(error) = &error {
            tracing::warn!(event = "server_start_failed", server = %id, error = %escape::line(error));
        }
        // The request may have ended.
        let _ = outcomes.send((id, error));
    }
}
