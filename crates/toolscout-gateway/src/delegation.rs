//! The two meta tools of a remote gateway: `tool_search` finds its tools, `execute_tool` runs them.

use serde_json::{Map, Value};
use std::sync::Arc;
use toolscout_catalog::SourceDiscovery;
use toolscout_core::{Arguments, SourceId, Tool, ToolId, ToolName};

/// The name of the meta tool that finds tools.
pub(crate) const SEARCH: &str = "tool_search";
/// The name of the meta tool that runs tools.
pub(crate) const EXECUTE: &str = "execute_tool";

/// Parameter names of the two meta tools in different servers; toolscout uses the first of each
/// list.
const QUERY: [&str; 4] = ["query", "q", "search", "text"];
const LIMIT: [&str; 5] = ["max_results", "maxResults", "limit", "top_k", "k"];
const NAME: [&str; 5] = ["name", "tool_name", "toolName", "tool", "id"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "params"];
const EXPECT: &str = "expect";

/// A source that has both meta tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteGateway {
    pub(crate) source: SourceId,
    /// Whether it may be queried: neither meta tool is pending review, and no tool of the source is
    /// left out.
    pub(crate) is_open: bool,
}

/// Whether a tool of this name is a meta tool, if its source has both.
pub(crate) fn is_meta_tool(name: &str) -> bool {
    matches!(name, SEARCH | EXECUTE)
}

/// Whether the name refers to a meta tool, of this source or of one behind it.
pub(crate) fn names_meta_tool(name: &str) -> bool {
    is_meta_tool(name.rsplit(['/', ':']).next().unwrap_or(name))
        || name.ends_with("__tool_search")
        || name.ends_with("__execute_tool")
}

/// The last part of a name, without its source.
pub(crate) fn bare(name: &str) -> &str {
    let name = name.rsplit(['/', ':']).next().unwrap_or(name);
    name.rsplit_once("__").map_or(name, |(_, bare)| bare)
}

/// The id of a meta tool.
pub(crate) fn id(source: &SourceId, name: &str) -> Option<ToolId> {
    Some(ToolId::new(source.clone(), ToolName::new(name).ok()?))
}

/// Reduces the meta tools of a discovery, if it has both, to their input schema and annotations.
/// Their descriptions are never shown, and change with every tool behind them, which would need a
/// review each time.
pub(crate) fn shorten(discovery: &mut SourceDiscovery) {
    let has = |name: &str| discovery.tools.iter().any(|tool| tool.id.name.as_str() == name);
    if !has(SEARCH) || !has(EXECUTE) {
        return;
    }
    for tool in discovery.tools.iter_mut().filter(|tool| is_meta_tool(tool.id.name.as_str())) {
        *tool = Arc::new(Tool {
            input_schema: tool.input_schema.clone(),
            annotations: tool.annotations.clone(),
            visibility: tool.visibility,
            status: tool.status.clone(),
            provenance: tool.provenance.clone(),
            ..Tool::new(tool.id.clone())
        });
    }
}

/// The arguments of `tool_search` for this query and number of results.
pub(crate) fn search_arguments(search: &Tool, query: &str, limit: usize) -> Arguments {
    let properties = properties(search);
    let mut arguments = Arguments::new();
    arguments.insert(first(&properties, &QUERY).unwrap_or(QUERY[0]).to_owned(), query.into());
    if let Some(key) = first(&properties, &LIMIT) {
        let maximum = properties[key].get("maximum").and_then(Value::as_u64).unwrap_or(u64::MAX);
        arguments.insert(key.to_owned(), (limit as u64).min(maximum).into());
    }
    arguments
}

/// The arguments of `execute_tool` for this call; with the expected digest, if it takes one.
pub(crate) fn execute_arguments(
    execute: &Tool,
    name: &str,
    arguments: Arguments,
    expect: Option<&str>,
) -> Arguments {
    let properties = properties(execute);
    let mut call_arguments = Arguments::new();
    call_arguments.insert(first(&properties, &NAME).unwrap_or(NAME[0]).to_owned(), name.into());
    call_arguments.insert(
        first(&properties, &ARGUMENTS).unwrap_or(ARGUMENTS[0]).to_owned(),
        Value::Object(arguments),
    );
    if let Some(expect) = expect.filter(|_| properties.contains_key(EXPECT)) {
        call_arguments.insert(EXPECT.to_owned(), expect.into());
    }
    call_arguments
}

/// The name in all forms that a toolscout gateway may use: with its source before a `/`, a `:` or a
/// `__`.
pub(crate) fn forms(name: &str) -> impl Iterator<Item = String> + '_ {
    let parts = ["/", ":", "__"].into_iter().find_map(|separator| name.split_once(separator));
    let others = parts.into_iter().flat_map(|(source, tool)| {
        ["/", ":", "__"].map(|separator| format!("{source}{separator}{tool}"))
    });
    std::iter::once(name.to_owned()).chain(others.filter(move |form| form != name))
}

fn properties(tool: &Tool) -> Map<String, Value> {
    match tool.input_schema.to_value().get_mut("properties").map(Value::take) {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    }
}

fn first(properties: &Map<String, Value>, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| properties.contains_key(*name))
}
