//! Lists of tools for people.

use crate::output::Text;
use crate::output::brief::{brief, remaining_width};
use crate::output::table::{Cell, table};
use std::collections::HashMap;
use toolscout_core::{Tool, escape};

/// One line for each tool: aligned columns at a terminal, else `  name - description`. A name that
/// several sources have is shown with its source.
pub fn lines<'a>(tools: impl Iterator<Item = &'a Tool>, text: &Text) -> String {
    let tools: Vec<_> = tools.collect();
    if text.is_terminal {
        return table(&tools.iter().map(|tool| row(tool)).collect::<Vec<_>>(), text);
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    tools.iter().for_each(|tool| *counts.entry(tool.id.name.as_str()).or_default() += 1);
    let name = |tool: &Tool| match counts.get(tool.id.name.as_str()) {
        Some(2..) => tool.id.to_string(),
        _ => tool.id.name.to_string(),
    };
    tools.iter().map(|tool| line(tool, &name(tool), text.width)).collect()
}

fn row(tool: &Tool) -> Vec<Cell> {
    let id = Cell::id(escape::line(&tool.id.to_string()));
    vec![id, Cell::text(about(tool) + &state(tool))]
}

fn line(tool: &Tool, name: &str, width: Option<usize>) -> String {
    let before = format!("  {} - ", escape::line(name));
    let about = in_brief(tool, width, &before);
    format!("{before}{about}{}\n", state(tool))
}

/// The status of a tool that cannot be called, unless it replaces the description.
fn state(tool: &Tool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    match tool.status.reason() {
        Some(reason) if !description.trim().is_empty() => {
            format!(" ({}: {})", tool.status.as_str(), escape::line(reason))
        }
        _ => String::new(),
    }
}

/// `Available tools:`, then `  - source:tool`, a line each; at a terminal as [`lines`].
pub fn qualified_lines<'a>(tools: impl Iterator<Item = &'a Tool>, text: &Text) -> String {
    if text.is_terminal {
        return lines(tools, text);
    }
    let mut out = "Available tools:\n".to_owned();
    for tool in tools {
        out += &format!("  - {}:{}\n", tool.id.source, escape::line(tool.id.name.as_str()));
    }
    out
}

/// The first line of a tool's description, safe to show; without a description, the reason of
/// its status, if there is one.
pub fn about(tool: &Tool) -> String {
    let first =
        tool.description.as_deref().and_then(|description| description.trim().lines().next());
    match (first, tool.status.reason()) {
        (Some(first), _) => escape::line(first).into_owned(),
        (None, Some(reason)) => format!("({}: {})", tool.status.as_str(), escape::line(reason)),
        (None, None) => "(no description)".to_owned(),
    }
}

/// As [`about`], shortened to the width that is left after `before`.
pub fn in_brief(tool: &Tool, width: Option<usize>, before: &str) -> String {
    brief(&about(tool), remaining_width(width, before))
}
