//! Decides without parsing whether a line can name an unknown tool, since an agent uses the same
//! few tools again and again.

use memchr::memmem::Finder;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Claude Code names the tools of MCP servers `mcp__<server>__<tool>`.
pub(super) const MCP_PREFIX: &str = "mcp__";

/// Separates the server from the tool in a name.
pub(super) const SEPARATOR: &str = "__";

/// A message with a whole definition contains this key.
static DEFINITION_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool\""));
static QUALIFIED_NAMES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(SEPARATOR));

/// Names of known tools, as spelled in messages.
#[derive(Default)]
pub(super) struct KnownToolNames(HashSet<Box<[u8]>>);

impl KnownToolNames {
    pub(super) fn add(&mut self, server: &str, name: &str) {
        let name = format!("{server}{SEPARATOR}{name}");
        self.0.insert(format!("{MCP_PREFIX}{name}").into_bytes().into());
        self.0.insert(name.into_bytes().into());
    }

    /// Whether the line may name an unknown tool. True as well if a name is written in an unusual
    /// way, such as with escapes.
    pub(super) fn may_name_unknown(&self, line: &[u8]) -> bool {
        let mut names = QUALIFIED_NAMES.find_iter(line);
        DEFINITION_KEY.find(line).is_some() || names.any(|at| !self.0.contains(name_at(line, at)))
    }
}

/// The bytes of the name around this position. A name with escaped characters matches no known
/// name.
fn name_at(line: &[u8], at: usize) -> &[u8] {
    let is_outside = |byte: &u8| matches!(byte, b'"' | b' ' | b',');
    let start = line[..at].iter().rposition(is_outside).map_or(0, |before| before + 1);
    let length = line[at..].iter().position(is_outside).unwrap_or(line.len() - at);
    &line[start..at + length]
}
