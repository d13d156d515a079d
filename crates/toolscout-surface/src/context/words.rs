//! The sentences. Applications were written against them, so they stay as they are, to the letter.

/// Where nothing is known yet.
pub const NOTHING_YET: &str =
    "You have access to external tools via MCP servers. Tools will be discovered when you attempt to use them.";

pub(super) const HEADER: &str = "You have access to external tools via MCP:";

pub(super) const BULLET: &str = "• ";

pub(super) const CLOSING: &str = "When you need to perform actions like searching, creating issues, sending messages, or accessing external services, use the appropriate MCP tool. Tool details are available when you invoke them.";

/// Stands over the summary in a system prompt.
pub(super) const HEADING: &str = "## Available Tools";
