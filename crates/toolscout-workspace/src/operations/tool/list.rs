//! `tools`: list tools, page by page or as they are discovered.

use super::no_tools;
use super::summary::{ToolSummary, snapshot};
use crate::Workspace;
use crate::operations::doctor::ignored;
use crate::operations::shown_path;
use crate::operations::status::NoInput;
use futures_util::StreamExt;
use futures_util::stream::{self, once, poll_fn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::authorization::Policy;
use toolscout_core::cx::Role;
use toolscout_core::{Cx, Diagnostic, DiscoveryItem, ReviewMode, SourceId, Tool};
use toolscout_surface::operation::{
    CommandName, ItemStream, Operation, OperationError, OperationSpec, StreamOperation, Text,
    UnavailableServers,
};
use toolscout_surface::output::tools as text;
use toolscout_surface::output::{counted, json, safe_schema};

/// The default number of tools on a page.
const DEFAULT_LIMIT: usize = 100;

/// List tools.
pub(crate) struct ListTools;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListToolsInput {
    /// List only the tools of this source
    #[serde(default)]
    #[schemars(extend("x-cli" = {"flag": "source", "value": "ID"}))]
    server: Option<String>,
    /// List only tools with this text in their name, title or description
    #[serde(default)]
    #[schemars(extend("x-cli" = {"flag": "filter", "value": "TEXT"}))]
    q: Option<String>,
    /// Include disabled tools, the text of quarantined tools, and ignored files; for operators only
    #[serde(default)]
    all: bool,
    /// Reduce the schemas for a catalog, and list at most 50 tools of each source
    #[serde(default, rename = "safeSchemas")]
    #[schemars(extend("x-cli" = {"flag": "safe-schemas"}))]
    safe_schemas: bool,
    /// The maximum number of tools; 100 by default
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000), extend("x-cli" = {"skip": true}))]
    limit: Option<usize>,
    /// The `nextCursor` of the previous page
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    cursor: Option<String>,
    /// Show tools as `source/name` in the text output
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    qualified: bool,
}

/// A page of tools.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolPage {
    tools: Vec<ToolSummary>,
    /// The number of tools on all pages.
    total: usize,
    /// The cursor for the next page; missing on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// The sources of the tools on all pages; on the first page only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<SourceCount>,
    /// Files in the tools folders that are no tools, with the reason; only with `all`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<IgnoredFile>,
    /// Tools that `safeSchemas` leaves out, by source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<SourceCount>,
    #[serde(skip)]
    shown: Vec<Arc<Tool>>,
    #[serde(skip)]
    is_qualified: bool,
    /// Why there are no tools at all, and the next step; shown at a terminal.
    #[serde(skip)]
    why_empty: Option<String>,
}

/// A source of listed tools.
#[derive(Serialize, JsonSchema)]
struct SourceCount {
    /// The id of the source.
    id: String,
    /// The number of its tools.
    tools: usize,
}

/// A file that could become a tool.
#[derive(Serialize, JsonSchema)]
struct IgnoredFile {
    /// The path of the file.
    path: Option<PathBuf>,
    /// The reason why it is no tool.
    reason: String,
    /// How to make it one.
    hint: Option<String>,
}

impl IgnoredFile {
    /// The ignored files of the last discovery. Paths are for operators only.
    async fn all(workspace: &Workspace, cx: &Cx) -> Result<Vec<Self>, OperationError> {
        if cx.role != Role::Operator {
            return Ok(Vec::new());
        }
        let found = workspace.tools.discover_quietly().await?;
        let file = |diagnostic: &Diagnostic| Self {
            path: diagnostic.path.clone(),
            reason: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
        };
        Ok(ignored(found).map(file).collect())
    }

    fn line(&self) -> String {
        let path = self.path.as_deref().map(|path| shown_path(path) + ": ").unwrap_or_default();
        let hint = self.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{path}{}{hint}", self.reason)
    }
}

impl Operation<Workspace> for ListTools {
    type Input = ListToolsInput;
    type Output = ToolPage;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("tools").preset(&[("limit", "100000")]),
            CommandName::new("tools list")
                .summary("List tools with their sources")
                .preset(&[("limit", "100000"), ("qualified", "true")]),
        ],
        notes: &["Starts no server; shows cached data."],
        examples: &["toolscout tools", "toolscout tools --json", "toolscout tools list"],
        keeps_profile: true,
        unavailable_servers: UnavailableServers::Count,
        ..OperationSpec::read("tools", "List tools", "/api/tools")
    };

    async fn run(
        workspace: &Workspace,
        input: ListToolsInput,
        cx: &Cx,
    ) -> Result<ToolPage, OperationError> {
        let start = match input.cursor.as_deref() {
            None | Some("") => 0,
            Some(cursor) => {
                cursor.parse().map_err(|_| OperationError::invalid("`cursor` is invalid"))?
            }
        };
        let gateway = workspace.discovered_gateway(cx).await?;
        let view = gateway.view(cx).await;
        let (snapshot, policies) = (snapshot(&view, input.all, cx), view.policies());
        let filter = input.q.as_deref().unwrap_or_default().to_lowercase();
        let is_selected = |tool: &Tool| {
            input.server.as_ref().is_none_or(|source| tool.id.source.as_str() == source)
        };
        let mut found: Vec<_> =
            snapshot.tools().filter(|tool| is_selected(tool) && contains(tool, &filter)).collect();
        let left_out = if input.safe_schemas { limit_by_source(&mut found) } else { Vec::new() };
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT);
        let shown: Vec<_> =
            found.iter().skip(start).take(limit).map(|tool| Arc::clone(tool)).collect();
        let end = start.saturating_add(shown.len());
        let summary = |tool: &Arc<Tool>| {
            let summary = ToolSummary::new(tool, &policies, cx);
            if input.safe_schemas { summary.into_safe() } else { summary }
        };
        Ok(ToolPage {
            tools: shown.iter().map(summary).collect(),
            left_out,
            ignored: if input.all { IgnoredFile::all(workspace, cx).await? } else { Vec::new() },
            total: found.len(),
            next_cursor: (!shown.is_empty() && end < found.len()).then(|| end.to_string()),
            sources: if start == 0 { counted_by_source(&found) } else { Vec::new() },
            shown,
            is_qualified: input.qualified,
            why_empty: snapshot.is_empty().then(|| no_tools(workspace)),
        })
    }

    fn text(output: &ToolPage, style: &Text) -> String {
        if let Some(reason) = output.why_empty.as_ref().filter(|_| style.is_terminal) {
            return format!("{reason}\n");
        }
        let tools = output.shown.iter().map(AsRef::as_ref);
        if output.is_qualified {
            text::qualified_lines(tools, style)
        } else {
            text::lines(tools, style)
        }
    }

    fn notes(output: &ToolPage) -> Vec<String> {
        let note = |source: &SourceCount| {
            format!("left out {} of `{}`", counted(source.tools, "more tool"), source.id)
        };
        let ignored = output.ignored.iter().map(IgnoredFile::line);
        output.left_out.iter().map(note).chain(ignored).collect()
    }

    fn write_json(output: &ToolPage, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.tools)
    }
}

/// Tool counts by source, in the order of the tools, which are sorted by source.
fn counted_by_source(tools: &[&Arc<Tool>]) -> Vec<SourceCount> {
    let by_source = tools.chunk_by(|one, other| one.id.source == other.id.source);
    by_source
        .map(|tools| SourceCount { id: tools[0].id.source.to_string(), tools: tools.len() })
        .collect()
}

/// Leaves out all but the first tools of each source; returns their number.
fn limit_by_source(tools: &mut Vec<&Arc<Tool>>) -> Vec<SourceCount> {
    let mut left_out = counted_by_source(tools);
    let mut taken: HashMap<SourceId, usize> = HashMap::new();
    tools.retain(|tool| {
        let taken = taken.entry(tool.id.source.clone()).or_default();
        *taken += 1;
        *taken <= safe_schema::MAX_TOOLS
    });
    left_out.iter_mut().for_each(|source| {
        source.tools = source.tools.saturating_sub(safe_schema::MAX_TOOLS);
    });
    left_out.retain(|source| source.tools > 0);
    left_out
}

fn contains(tool: &Tool, filter: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(filter);
    filter.is_empty()
        || has(tool.id.name.as_str())
        || [&tool.title, &tool.description].into_iter().flatten().any(|text| has(text))
}

/// List tools as they are discovered.
pub(crate) struct StreamTools;

impl StreamOperation<Workspace> for StreamTools {
    type Input = NoInput;
    type Item = ToolSummary;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[CommandName::new("tools stream").alias("tools --stream")],
        notes: &["Tools that need a review come last. Starts no server."],
        examples: &["toolscout tools stream"],
        keeps_profile: true,
        ..OperationSpec::read(
            "tools stream",
            "List tools as they are found, one JSON object on each line",
            "/api/tool-stream",
        )
    };

    async fn open(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ItemStream<ToolSummary>, OperationError> {
        let (tools, gateway, cx) = (workspace.tools.clone(), workspace.gateway_for(cx), cx.clone());
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let discovery = async move {
            let sources = gateway.sources();
            let reviewed = sources.iter().filter(|source| source.review() != ReviewMode::Unneeded);
            let reviewed: HashSet<_> = reviewed.map(|source| source.id().clone()).collect();
            let policies = gateway.policies();
            // A send error means that the client has stopped reading the stream.
            let send = |tool: &Tool| drop(sender.send(ToolSummary::new(tool, &policies, &cx)));
            let mut seen = HashSet::new();
            let watch = |found: &DiscoveryItem| match found {
                DiscoveryItem::Tool(tool) if reviewed.contains(&tool.id.source) => {}
                DiscoveryItem::Tool(tool) if gateway.decision(tool).policy == Policy::Disable => {}
                DiscoveryItem::Tool(tool) => {
                    seen.insert(tool.id.clone());
                    send(tool);
                }
                _ => {}
            };
            tools.discover(watch).await?;
            gateway
                .snapshot()
                .tools()
                .filter(|tool| !seen.contains(&tool.id))
                .for_each(|tool| send(tool));
            Ok::<_, OperationError>(())
        };
        let found = poll_fn(move |cx| receiver.poll_recv(cx)).map(Ok);
        let failed = once(discovery).filter_map(async |result| result.err().map(Err));
        Ok(stream::select(found, failed).boxed())
    }

    fn event(_: &ToolSummary) -> &'static str {
        "tool"
    }

    fn text(item: &ToolSummary, _: &Text) -> String {
        json::compact(item) + "\n"
    }
}
