//! Which tools there are.

use serde::Serialize;
use std::path::PathBuf;
use toolscout_core::{RawJson, Tool, escape};
use toolscout_gateway::Gateway;

/// A tool as `tools --json` shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// `source/name`.
    pub id: String,
    /// Whose tool it is.
    pub source: String,
    /// What its source calls it.
    pub name: String,
    /// What it does; null where nobody said.
    pub description: Option<String>,
    /// More words it is found by.
    pub keywords: Vec<String>,
    /// The file that describes it.
    pub path: Option<PathBuf>,
    /// Of its arguments.
    pub input_schema: RawJson,
    /// `ready`, `static`, `unprobed` or `unavailable`.
    pub status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<&Tool> for ToolView {
    fn from(tool: &Tool) -> Self {
        Self {
            id: tool.id.to_string(),
            source: tool.id.source.to_string(),
            name: tool.id.name.to_string(),
            description: tool.description.clone(),
            keywords: tool.keywords.clone(),
            path: tool.provenance.path.clone(),
            input_schema: tool.input_schema.clone(),
            status: tool.status.word(),
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

/// Every known tool, in listing order.
pub fn views(gateway: &Gateway) -> Vec<ToolView> {
    gateway.snapshot().tools().map(|it| ToolView::from(it.as_ref())).collect()
}

/// For people: `  name - description`, a line each.
pub fn lines(gateway: &Gateway) -> String {
    gateway.snapshot().tools().map(|it| line(it)).collect()
}

fn line(tool: &Tool) -> String {
    let state = match tool.status.reason() {
        Some(reason) if tool.description.is_some() => format!(" ({}: {})", tool.status.word(), escape::line(reason)),
        _ => String::new(),
    };
    format!("  {} - {}{state}\n", escape::line(tool.id.name.as_str()), about(tool))
}

/// For people: `Available tools:`, then `  - source:tool`, a line each.
pub fn qualified_lines(gateway: &Gateway) -> String {
    let mut out = "Available tools:\n".to_owned();
    for tool in gateway.snapshot().tools() {
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

/// `1 tool`, `2 tools`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
