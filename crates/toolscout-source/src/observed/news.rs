//! Whether a line can say anything that is not known yet, told without parsing it: an agent uses the same few tools again and
//! again.

use memchr::memmem::Finder;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Claude Code calls the tools of MCP servers `mcp__<server>__<tool>`.
pub(super) const MCP_PREFIX: &str = "mcp__";

/// Whoever passes on a whole definition says so.
static WHOLE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool\""));
static MCP_NAMES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MCP_PREFIX));

/// Names as they stand in messages, of tools that are known.
#[derive(Default)]
pub(super) struct KnownToolNames(HashSet<Box<[u8]>>);

impl KnownToolNames {
    pub(super) fn add(&mut self, server: &str, name: &str) {
        self.0.insert(format!("{MCP_PREFIX}{server}__{name}").into_bytes().into());
    }

    /// Whether the line may name a tool that is not known. What is written in an unusual way may as well.
    pub(super) fn may_be_more_than(&self, line: &[u8]) -> bool {
        let mut names = MCP_NAMES.find_iter(line);
        WHOLE.find(line).is_some() || names.any(|at| !self.0.contains(word(&line[at..])))
    }
}

/// Up to where a name ends; one with a letter that is written in another way is none that is known.
fn word(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|it| matches!(it, b'"' | b' ' | b','));
    &bytes[..end.unwrap_or(bytes.len())]
}
