//! The two tools through which a server that hides its tools is asked for them.

use crate::scope::Scope;
use crate::sources::SourceSet;
use serde_json::{Map, Value};
use std::sync::Arc;
use toolscout_catalog::{Snapshot, SourceDiscovery};
use toolscout_core::{Arguments, Source, SourceId, Status, Tool, ToolId, ToolName};

/// Finds its tools.
pub(crate) const SEARCH: &str = "tool_search";
/// Runs them.
pub(crate) const EXECUTE: &str = "execute_tool";

/// What servers call the parameters of the two; the first is what they are called here.
const QUERY: [&str; 4] = ["query", "q", "search", "text"];
const LIMIT: [&str; 5] = ["max_results", "maxResults", "limit", "top_k", "k"];
const NAME: [&str; 5] = ["name", "tool_name", "toolName", "tool", "id"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "params"];
const EXPECT: &str = "expect";

/// A source that has both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteGateway {
    pub(crate) source: SourceId,
    /// Whether it may be asked: neither of the two waits for a person, and nothing of it is left out.
    pub(crate) is_open: bool,
}

/// Whether a tool of this name is a door, should its source have both.
pub(crate) fn is_door(name: &str) -> bool {
    matches!(name, SEARCH | EXECUTE)
}

/// Whether the name means a door, here or further on.
pub(crate) fn leads_to_one(name: &str) -> bool {
    is_door(name.rsplit(['/', ':']).next().unwrap_or(name))
        || name.ends_with("__tool_search")
        || name.ends_with("__execute_tool")
}

/// The id of one of the doors.
pub(crate) fn id(source: &SourceId, door: &str) -> Option<ToolId> {
    Some(ToolId::new(source.clone(), ToolName::new(door).ok()?))
}

/// The sources that have both doors, and may be asked.
pub(crate) fn delegates(all: &Snapshot, sources: &SourceSet, scope: &Scope) -> Vec<RemoteGateway> {
    let is_held = |it: &Tool| matches!(it.status, Status::Held(_));
    let delegate = |search: &Arc<Tool>| {
        let source = search.id.source.clone();
        let execute = &all.tool(&id(&source, EXECUTE)?)?.tool;
        let delegation = sources.by_id(&source)?.delegation()?;
        let is_whole = delegation.is_whole && scope.has_every_tool_of(&source);
        Some(RemoteGateway { source, is_open: is_whole && !is_held(search) && !is_held(execute) })
    };
    all.named(SEARCH).iter().filter_map(|it| delegate(&it.tool)).collect()
}

/// What is found, with the doors as far as they matter: what they take. What they say about themselves nobody reads, and
/// it changes with every tool that is behind them, which is nothing to review.
pub(crate) fn in_short(source: &dyn Source, found: SourceDiscovery) -> SourceDiscovery {
    let has = |name: &str| found.tools.iter().any(|it| it.id.name.as_str() == name);
    if !has(SEARCH) || !has(EXECUTE) || source.delegation().is_none() {
        return found;
    }
    let short = |tool: &Arc<Tool>| match is_door(tool.id.name.as_str()) {
        false => tool.clone(),
        true => Arc::new(Tool {
            input_schema: tool.input_schema.clone(),
            annotations: tool.annotations.clone(),
            visibility: tool.visibility,
            status: tool.status.clone(),
            provenance: tool.provenance.clone(),
            ..Tool::new(tool.id.clone())
        }),
    };
    found.each(|it| Some(short(it)))
}

/// What to ask the one door: this question, for so many answers.
pub(crate) fn question(search: &Tool, query: &str, limit: usize) -> Arguments {
    let takes = properties(search);
    let mut arguments = Arguments::new();
    arguments.insert(first(&takes, &QUERY).unwrap_or(QUERY[0]).to_owned(), query.into());
    if let Some(key) = first(&takes, &LIMIT) {
        let most = takes[key].get("maximum").and_then(Value::as_u64).unwrap_or(u64::MAX);
        arguments.insert(key.to_owned(), (limit as u64).min(most).into());
    }
    arguments
}

/// What to tell the other: this tool, with these arguments; where it can be told so, only if it is still of that digest.
pub(crate) fn order(execute: &Tool, name: &str, arguments: Arguments, expect: Option<&str>) -> Arguments {
    let takes = properties(execute);
    let mut order = Arguments::new();
    order.insert(first(&takes, &NAME).unwrap_or(NAME[0]).to_owned(), name.into());
    order.insert(first(&takes, &ARGUMENTS).unwrap_or(ARGUMENTS[0]).to_owned(), Value::Object(arguments));
    if let Some(expect) = expect.filter(|_| takes.contains_key(EXPECT)) {
        order.insert(EXPECT.to_owned(), expect.into());
    }
    order
}

/// The same name in all forms in which a toolscout may say it: with its source before a `/`, a `:` or a `__`.
pub(crate) fn forms(name: &str) -> impl Iterator<Item = String> + '_ {
    let parts = ["/", ":", "__"].into_iter().find_map(|it| name.split_once(it));
    let others = parts.into_iter().flat_map(|(source, tool)| ["/", ":", "__"].map(|it| format!("{source}{it}{tool}")));
    std::iter::once(name.to_owned()).chain(others.filter(move |it| it != name))
}

fn properties(tool: &Tool) -> Map<String, Value> {
    match tool.input_schema.to_value().get_mut("properties").map(Value::take) {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    }
}

fn first(takes: &Map<String, Value>, words: &[&'static str]) -> Option<&'static str> {
    words.iter().copied().find(|it| takes.contains_key(*it))
}
