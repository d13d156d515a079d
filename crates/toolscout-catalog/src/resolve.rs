//! Resolves a name typed by a user or an agent to one tool.

use crate::{CatalogTool, Snapshot};
use std::sync::Arc;
use toolscout_core::{SourceId, SourceKind, Tool, ToolId};

/// The reason why a name does not resolve to one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// No tool has this name; these are the most similar ones, best first.
    Unknown {
        /// Ids of tools with similar names.
        nearest: Vec<ToolId>,
    },
    /// Several sources of the same strength have it.
    Ambiguous {
        /// All matching tools.
        candidates: Vec<ToolId>,
    },
}

impl Snapshot {
    /// Resolves `source__tool`, `source/tool`, `source:tool`, `mcp:tool` (any MCP server), or a
    /// bare name. If several sources have a bare name, the strongest one wins, if it is unique.
    pub fn resolve(&self, text: &str) -> Result<&Arc<Tool>, Unresolved> {
        for separator in ["/", ":", "__"] {
            if let Some(result) = self.qualified(text, separator) {
                return result;
            }
        }
        resolve_entries(self.tools_named(text))
            .unwrap_or_else(|| Err(Unresolved::Unknown { nearest: self.nearest(text) }))
    }

    /// The next weaker tool with the same bare name, for use if the source of this tool reports
    /// that it does not have it.
    pub fn next_of_name(&self, id: &ToolId) -> Option<Result<&Arc<Tool>, Unresolved>> {
        let entries = self.tools_named(id.name.as_str());
        let at = entries.iter().position(|item| item.tool.id == *id)?;
        resolve_entries(&entries[at + 1..])
    }

    fn qualified(&self, text: &str, separator: &str) -> Option<Result<&Arc<Tool>, Unresolved>> {
        let (source, name) = text.split_once(separator)?;
        if source == "mcp" && separator != "__" {
            let (start, end) = range_of_kind(self.tools_named(name), SourceKind::Mcp);
            return resolve_entries(&self.tools_named(name)[start..end]);
        }
        let source = SourceId::new(source).ok()?;
        self.tools_named(name)
            .iter()
            .find(|item| item.tool.id.source == source)
            .map(|item| Ok(&item.tool))
    }

    /// Ids of tools with a similar bare or qualified name, best first, at most three.
    fn nearest(&self, text: &str) -> Vec<ToolId> {
        let lower = text.to_lowercase();
        let bare = lower.rsplit(['/', ':']).next().unwrap_or(&lower);
        let mut candidates_by_similarity: Vec<_> = self
            .tools()
            .map(|tool| {
                (strsim::jaro_winkler(bare, &tool.id.name.as_str().to_lowercase()), &tool.id)
            })
            .filter(|(similarity, _)| *similarity >= 0.84)
            .collect();
        candidates_by_similarity
            .sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
        candidates_by_similarity.into_iter().take(3).map(|(_, id)| id.clone()).collect()
    }
}

/// The only tool of the strongest origin; `None` if there are no tools. Of request-specific tools
/// the first, since their providers define the order.
fn resolve_entries(entries: &[CatalogTool]) -> Option<Result<&Arc<Tool>, Unresolved>> {
    let highest = entries.first()?.kind;
    let (_, end) = range_of_kind(entries, highest);
    match &entries[..end] {
        [one] => Some(Ok(&one.tool)),
        [first, ..] if highest == SourceKind::Request => Some(Ok(&first.tool)),
        several => Some(Err(Unresolved::Ambiguous {
            candidates: several.iter().map(|entry| entry.tool.id.clone()).collect(),
        })),
    }
}

/// The range of tools of this kind of source; `entries` is sorted by kind.
fn range_of_kind(entries: &[CatalogTool], kind: SourceKind) -> (usize, usize) {
    (
        entries.partition_point(|item| item.kind < kind),
        entries.partition_point(|item| item.kind <= kind),
    )
}
