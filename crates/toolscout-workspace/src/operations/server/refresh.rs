//! `server refresh`: list the tools of servers again.

mod in_host;

use super::control;
use crate::Workspace;
use crate::error::{describe, failure};
use crate::servers::{ServerSet, shared_cx};
use crate::workspace::background_index::index_briefly;
use futures_util::StreamExt;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::cx::Progress;
use toolscout_core::{Cx, DiagnosticKind, SourceError, SourceId, escape, redact};
use toolscout_mcp_client::{DiscoveryOutcome, McpSource, refresh_all};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    Access, HttpRoute, Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;

/// The number of servers that are refreshed at the same time in the background.
const CONCURRENT_REFRESHES: usize = 8;

/// List the tools of servers again.
pub(crate) struct RefreshServers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefreshServersInput {
    /// The ids of the servers; all enabled servers if omitted
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "ID"}))]
    servers: Vec<String>,
    /// Wait until every server has answered
    #[serde(default = "default_wait")]
    #[schemars(extend("x-cli" = {"skip": true}))]
    wait: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RefreshedServers {
    /// The refreshed servers.
    servers: Vec<RefreshedServer>,
    /// Tools that are quarantined now, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RefreshedServer {
    /// The id of the server.
    id: String,
    /// `refreshing`, `refreshed` or `failed`.
    status: Cow<'static, str>,
    /// The number of its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_count: Option<usize>,
    /// The number of rejected definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded_count: Option<usize>,
    /// The duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Operation<Workspace> for RefreshServers {
    type Input = RefreshServersInput;
    type Output = RefreshedServers;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/refresh", status: 200 },
        notes: &[
            "Servers that `serve` or `server host` runs are refreshed there.",
            "Exits with 3 if a server failed.",
        ],
        examples: &["toolscout server refresh", "toolscout server refresh files"],
        access: Access::Operator,
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::read("server refresh", "Refresh the tools of servers", "")
    };

    async fn run(
        workspace: &Workspace,
        input: RefreshServersInput,
        cx: &Cx,
    ) -> Result<RefreshedServers, OperationError> {
        let set = workspace.servers();
        let is_all = input.servers.is_empty();
        let sources = if is_all {
            set.sources.clone()
        } else {
            input
                .servers
                .iter()
                .map(|id| set.source(id).cloned().map_err(failure))
                .collect::<Result<_, _>>()?
        };
        let ids: Vec<_> = sources.iter().map(|source| source.server().id.to_string()).collect();
        let (subject, summary) =
            (ids.join(", "), format!("start {} and list its tools", ids.join(", ")));
        // The cache is not configuration: a refresh is not a decision, and writes no audit
        // line.
        let _refresh = cx.change(PlannedChange {
            kind: ChangeKind::Server,
            subject,
            action: "refreshed",
            summary,
        })?;
        if is_all {
            remove_absent(&set)?;
        }
        if input.wait {
            refresh(workspace, &sources, cx).await
        } else {
            refresh_in_background(workspace, sources, cx)
        }
    }

    fn text(output: &RefreshedServers, _: &Text) -> String {
        if output.servers.is_empty() {
            return "No server is enabled. Add one with `toolscout server add ID -- COMMAND`.\n"
                .to_owned();
        }
        output.servers.iter().map(line).collect()
    }

    fn warnings(output: &RefreshedServers) -> &[String] {
        &output.warnings
    }

    fn exit(output: &RefreshedServers) -> Exit {
        if output.servers.iter().any(|server| server.status == "failed") {
            Exit::Unavailable
        } else {
            Exit::Done
        }
    }
}

fn default_wait() -> bool {
    true
}

async fn refresh(
    workspace: &Workspace,
    sources: &[Arc<McpSource>],
    cx: &Cx,
) -> Result<RefreshedServers, OperationError> {
    let mut servers = Vec::new();
    let mut add = |server: RefreshedServer| {
        if let Some(report) = &cx.progress {
            let (done, message) =
                (servers.len() as f64 + 1.0, Some(line(&server).trim_end().to_owned()));
            report(Progress { done, total: Some(sources.len() as f64), message });
        }
        servers.push(server);
    };
    let by_host = in_host::refresh(&workspace.servers(), sources, cx).await;
    let is_open = |source: &&Arc<McpSource>| {
        by_host.iter().all(|server| server.id != source.server().id.as_str())
    };
    let open: Vec<_> = sources.iter().filter(is_open).cloned().collect();
    by_host.into_iter().for_each(&mut add);
    refresh_all(&open, &shared_cx(cx), |source, result| add(RefreshedServer::new(source, result)))
        .await;
    // New definitions are approved or quarantined immediately.
    let diagnostics = workspace.tools.discover_quietly_again().await?;
    index_briefly(workspace, workspace.tools.gateway()).await;
    let quarantined =
        diagnostics.into_iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Quarantined);
    // The servers finish in any order.
    servers.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(RefreshedServers {
        servers,
        warnings: quarantined.map(|diagnostic| describe(&diagnostic)).collect(),
    })
}

/// The result of the first discovery of an added server.
pub(crate) enum DiscoveredServer {
    /// The number of its tools.
    Loaded(usize),
    Failed {
        error: String,
        /// What to type next.
        hint: Option<String>,
    },
}

/// Discovers the tools of added servers, reports each as it is done, and approves them at first
/// sight. Servers that are disabled, or may not be started, are left out.
pub(crate) async fn discover_with_progress(
    workspace: &Workspace,
    ids: &[SourceId],
    cx: &Cx,
) -> Result<BTreeMap<SourceId, DiscoveredServer>, OperationError> {
    let set = workspace.servers();
    let is_added =
        |source: &&Arc<McpSource>| ids.contains(&source.server().id) && source.may_start();
    let sources: Vec<_> = set.sources.iter().filter(is_added).cloned().collect();
    let mut discovered = BTreeMap::new();
    refresh_all(&sources, &shared_cx(cx), |source, result| {
        let server = RefreshedServer::new(source, result);
        if let Some(report) = &cx.progress {
            let done = discovered.len() as f64 + 1.0;
            let message = Some(line(&server).trim_end().to_owned());
            report(Progress { done, total: Some(sources.len() as f64), message });
        }
        let id = source.server().id.clone();
        let outcome = match server.error {
            None => DiscoveredServer::Loaded(server.tool_count.unwrap_or(0)),
            Some(error) => {
                let is_complete = error.contains("toolscout ");
                let hint = format!("fix it, then run `toolscout server refresh {id}`");
                DiscoveredServer::Failed { error, hint: (!is_complete).then_some(hint) }
            }
        };
        discovered.insert(id, outcome);
    })
    .await;
    workspace.review_added(cx).await?;
    Ok(discovered)
}

fn refresh_in_background(
    workspace: &Workspace,
    sources: Vec<Arc<McpSource>>,
    cx: &Cx,
) -> Result<RefreshedServers, OperationError> {
    let servers = sources.iter().map(|source| RefreshedServer::refreshing(source)).collect();
    let (gateway, cx) = (workspace.gateway_for(cx), cx.clone());
    let refreshes = sources
        .into_iter()
        .map(move |source| control::refresh(gateway.clone(), source, cx.clone()));
    workspace.tasks.spawn(
        stream::iter(refreshes).buffer_unordered(CONCURRENT_REFRESHES).for_each(|_| ready(())),
    )?;
    Ok(RefreshedServers { servers, warnings: Vec::new() })
}

/// Deletes the records of servers that are no longer configured or enabled.
fn remove_absent(set: &ServerSet) -> Result<(), OperationError> {
    let Some(shared) = &set.shared else { return Ok(()) };
    let unreadable = |error: toolscout_core::StoreError| {
        OperationError::from_kind(toolscout_core::ErrorKind::Unavailable, error.to_string())
    };
    for id in shared.records().servers().map_err(unreadable)? {
        if !set.sources.iter().any(|source| source.server().id == id) {
            let removed = shared.records().remove(&id).map_err(unreadable)?;
            tracing::info!(event = "tools_removed", server = %id, removed);
        }
    }
    Ok(())
}

impl RefreshedServer {
    fn refreshing(source: &McpSource) -> Self {
        let (id, status) = (source.server().id.to_string(), "refreshing".into());
        Self { id, status, tool_count: None, excluded_count: None, duration_ms: None, error: None }
    }

    fn new(source: &McpSource, result: &Result<DiscoveryOutcome, SourceError>) -> Self {
        match result {
            Ok(outcome) => Self {
                status: "refreshed".into(),
                tool_count: Some(outcome.tools),
                excluded_count: Some(outcome.excluded),
                duration_ms: Some(u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX)),
                ..Self::refreshing(source)
            },
            Err(error) => {
                let login = match error {
                    SourceError::Login { id, .. } => {
                        format!(". Log in with `toolscout server login {id}`")
                    }
                    _ => String::new(),
                };
                let reason = reason(error);
                let prefix = format!("server `{}`: ", source.server().id);
                let reason = reason.strip_prefix(&prefix).unwrap_or(&reason);
                let error = Some(redact::text(reason) + &login);
                Self { status: "failed".into(), error, ..Self::refreshing(source) }
            }
        }
    }
}

impl RefreshedServer {
    fn is_timeout(&self) -> bool {
        self.error.as_deref().is_some_and(|error| error.starts_with(TIMEOUT))
    }
}

/// The beginning of the error of a server that did not answer in time.
const TIMEOUT: &str = "timeout: ";

fn line(server: &RefreshedServer) -> String {
    let RefreshedServer { id, tool_count, excluded_count, duration_ms, error, .. } = server;
    match (error, tool_count) {
        (Some(error), _) => format!("{id}: failed: {}\n", escape::line(error)),
        (None, Some(tools)) => {
            let excluded = match excluded_count.unwrap_or(0) {
                0 => String::new(),
                count => format!(", {} skipped", counted(count, "definition")),
            };
            let seconds = duration_ms.unwrap_or(0) as f64 / 1000.0;
            format!("{id}: {}{excluded} ({seconds:.1} s)\n", counted(*tools, "tool"))
        }
        (None, None) => format!("{id}: loading tools\n"),
    }
}

/// The message without the name of the source, which precedes it in the output.
fn reason(error: &SourceError) -> String {
    match error {
        SourceError::Spawn { program, reason, .. } => {
            format!("could not run `{program}`: {reason}")
        }
        SourceError::TimedOut { what, limit, .. } => {
            let limit = toolscout_core::format_duration(*limit);
            format!("{TIMEOUT}{what} timed out after {limit}")
        }
        SourceError::Protocol { reason, .. } | SourceError::Refused { reason } => reason.clone(),
        SourceError::Unavailable { what, .. }
        | SourceError::Login { what, .. }
        | SourceError::Busy { what, .. } => what.clone(),
        other => other.to_string(),
    }
}
