//! `tools`: list tools, page by page or as they are discovered.

use super::summary::{ToolSummary, snapshot};
use crate::Workspace;
use crate::operations::status::NoInput;
use futures_util::StreamExt;
use futures_util::stream::{self, once, poll_fn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, DiscoveryItem, ReviewMode, Tool};
use toolscout_surface::operation::{
    CommandName, ItemStream, Operation, OperationError, OperationSpec, StreamOperation, Text,
};
use toolscout_surface::output::json;
use toolscout_surface::output::tools as text;

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
    /// At most this many: 100 if left out.
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
    #[serde(skip)]
    shown: Vec<Arc<Tool>>,
    #[serde(skip)]
    is_qualified: bool,
}

/// A source of listed tools.
#[derive(Serialize, JsonSchema)]
struct SourceCount {
    id: String,
    tools: usize,
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
        let found: Vec<_> =
            snapshot.tools().filter(|tool| is_of(tool) && contains(tool, &filter)).collect();
        let limit = input.limit.unwrap_or(PAGE);
        let shown: Vec<_> =
            found.iter().skip(start).take(limit).map(|tool| Arc::clone(tool)).collect();
        let end = start.saturating_add(shown.len());
        Ok(ToolPage {
            tools: shown.iter().map(|tool| ToolSummary::new(tool, &policies, cx)).collect(),
            total: found.len(),
            next_cursor: (!shown.is_empty() && end < found.len()).then(|| end.to_string()),
            sources: if start == 0 { counted_by_source(&found) } else { Vec::new() },
            shown,
            is_qualified: input.qualified,
        })
    }

    fn text(output: &ToolPage, style: &Text) -> String {
        let tools = output.shown.iter().map(AsRef::as_ref);
        if output.is_qualified {
            text::qualified_lines(tools, style)
        } else {
            text::lines(tools, style.width)
        }
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
