//! Lists of tools for people.

use crate::output::brief::{brief, room};
use toolscout_core::{Tool, escape};

/// `  name - description`, one line each; as wide as the terminal, if there is one.
pub fn lines<'a>(tools: impl Iterator<Item = &'a Tool>, width: Option<usize>) -> String {
    tools.map(|tool| line(tool, width)).collect()
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

/// `Available tools:`, then `  - source:tool`, a line each.
pub fn qualified_lines<'a>(tools: impl Iterator<Item = &'a Tool>) -> String {
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
