//! The sentences of the summary. Applications depend on them, so their wording must not change.

/// The summary if no tool has been discovered yet.
pub const NOTHING_YET: &str = "You have access to external tools via MCP servers. Tools will be discovered when you attempt to use them.";

pub(super) const HEADER: &str = "You have access to external tools via MCP:";

pub(super) const BULLET: &str = "• ";

pub(super) const CLOSING: &str = "When you need to perform actions like searching, creating issues, sending messages, or accessing external services, use the appropriate MCP tool. Tool details are available when you invoke them.";

/// The heading above the summary in a system prompt.
pub(super) const HEADING: &str = "## Available Tools";
