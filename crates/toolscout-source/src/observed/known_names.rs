//! Decides without parsing whether a line can name an unknown tool, since an agent uses the same
//! few tools again and again.

use memchr::memmem::Finder;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Claude Code names the tools of MCP servers `mcp__<server>__<tool>`.
pub(super) const MCP_PREFIX: &str = "mcp__";

/// A message with a whole definition contains this key.
static DEFINITION_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool\""));
static QUALIFIED_NAMES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(SEPARATOR));

/// Names of known tools, as spelled in messages.
#[derive(Default)]
pub(super) struct KnownToolNames(HashSet<Box<[u8]>>);

impl KnownToolNames {
    pub(super) fn add(&mut self, server: &str, name: &str) {
        self.0.insert(format!("{MCP_PREFIX}{server}__{name}").into_bytes().into());
    }

    /// Whether the line may name an unknown tool. True as well if a name is written in an unusual
    /// way, such as with escapes.
    pub(super) fn may_be_more_than(&self, line: &[u8]) -> bool {
        let mut names = MCP_NAMES.find_iter(line);
        WHOLE.find(line).is_some() || names.any(|at| !self.0.contains(word(&line[at..])))
    }
}

/// The bytes up to the end of the name. A name with escaped characters matches no known name.
fn word(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|it| matches!(it, b'"' | b' ' | b','));
    &bytes[..end.unwrap_or(bytes.len())]
}
