//! Which tools there are.

use crate::output::brief::{brief, room};
use serde::Serialize;
use std::path::Path;
use toolscout_core::{RawJson, Tool, escape};
use toolscout_gateway::Snapshot;

/// A tool as `tools --json` shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolView<'a> {
    /// `source/name`.
    pub id: String,
    /// Whose tool it is.
    pub source: &'a str,
    /// What its source calls it.
    pub name: &'a str,
    /// What it does; null where nobody said.
    pub description: Option<&'a str>,
    /// More words it is found by.
    pub keywords: &'a [String],
    /// The file that describes it.
    pub path: Option<&'a Path>,
    /// Of its arguments.
    pub input_schema: &'a RawJson,
    /// `ready`, `static`, `unprobed` or `unavailable`.
    pub status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

impl<'a> From<&'a Tool> for ToolView<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            id: tool.id.to_string(),
            source: tool.id.source.as_str(),
            name: tool.id.name.as_str(),
            description: tool.description.as_deref(),
            keywords: &tool.keywords,
            path: tool.provenance.path.as_deref(),
            input_schema: &tool.input_schema,
            status: tool.status.word(),
            reason: tool.status.reason(),
        }
    }
}

/// Every known tool, in listing order.
pub fn views(snapshot: &Snapshot) -> Vec<ToolView<'_>> {
    snapshot.tools().map(|it| ToolView::from(it.as_ref())).collect()
}

/// For people: `  name - description`, a line each; as wide as the terminal, where one is given.
pub fn lines(snapshot: &Snapshot, width: Option<usize>) -> String {
    snapshot.tools().map(|it| line(it, width)).collect()
}

fn line(tool: &Tool, width: Option<usize>) -> String {
    let state = match tool.status.reason() {
        Some(reason) if tool.description.as_deref().is_some_and(|it| !it.trim().is_empty()) => {
            format!(" ({}: {})", tool.status.word(), escape::line(reason))
        }
        _ => String::new(),
    };
    let before = format!("  {} - ", escape::line(tool.id.name.as_str()));
    let about = in_brief(tool, width, &before);
    format!("{before}{about}{state}\n")
}

/// For people: `Available tools:`, then `  - source:tool`, a line each.
pub fn qualified_lines(snapshot: &Snapshot) -> String {
    let mut out = "Available tools:\n".to_owned();
    for tool in snapshot.tools() {
        out += &format!("  - {}:{}\n", tool.id.source, escape::line(tool.id.name.as_str()));
    }
    out
}

/// The first line of what a tool says it does, safe to show; why it says nothing, where that is known.
pub fn about(tool: &Tool) -> String {
    let first = tool.description.as_deref().and_then(|it| it.trim().lines().next());
    match (first, tool.status.reason()) {
        (Some(first), _) => escape::line(first).into_owned(),
        (None, Some(reason)) => format!("({}: {})", tool.status.word(), escape::line(reason)),
        (None, None) => "(no description)".to_owned(),
    }
}

/// As [`about`], no longer than a line has room for behind what stands before it.
pub fn in_brief(tool: &Tool, width: Option<usize>, before: &str) -> String {
    brief(&about(tool), room(width, before))
}

/// `1 tool`, `2 tools`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
