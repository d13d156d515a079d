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
            if let Some(answer) = self.qualified(text, separator) {
                return answer;
            }
        }
        pick(self.named(text))
            .unwrap_or_else(|| Err(Unresolved::Unknown { nearest: self.nearest(text) }))
    }

    /// The next weaker tool with the same bare name, for use if the source of this tool reports
    /// that it does not have it.
    pub fn next_of_name(&self, id: &ToolId) -> Option<Result<&Arc<Tool>, Unresolved>> {
        let known = self.named(id.name.as_str());
        let at = known.iter().position(|it| it.tool.id == *id)?;
        pick(&known[at + 1..])
    }

    fn qualified(&self, text: &str, separator: &str) -> Option<Result<&Arc<Tool>, Unresolved>> {
        let (source, name) = text.split_once(separator)?;
        if source == "mcp" && separator != "__" {
            let (start, end) = span(self.named(name), SourceKind::Mcp);
            return pick(&self.named(name)[start..end]);
        }
        let source = SourceId::new(source).ok()?;
        self.named(name).iter().find(|it| it.tool.id.source == source).map(|it| Ok(&it.tool))
    }

    /// Ids of tools with a similar bare or qualified name, best first, at most three.
    fn nearest(&self, text: &str) -> Vec<ToolId> {
        let wanted = text.to_lowercase();
        let bare = wanted.rsplit(['/', ':']).next().unwrap_or(&wanted);
        let mut near: Vec<_> = self
            .tools()
            .map(|it| (strsim::jaro_winkler(bare, &it.id.name.as_str().to_lowercase()), &it.id))
            .filter(|(similarity, _)| *similarity >= 0.84)
            .collect();
        near.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
        near.into_iter().take(3).map(|(_, id)| id.clone()).collect()
    }
}

/// The only tool of the strongest origin; `None` if there are no tools. Of request-specific tools
/// the first, since their providers define the order.
fn pick(known: &[CatalogTool]) -> Option<Result<&Arc<Tool>, Unresolved>> {
    let strongest = known.first()?.origin;
    let (_, end) = span(known, strongest);
    match &known[..end] {
        [one] => Some(Ok(&one.tool)),
        [first, ..] if strongest == SourceKind::Request => Some(Ok(&first.tool)),
        several => Some(Err(Unresolved::Ambiguous {
            candidates: several.iter().map(|it| it.tool.id.clone()).collect(),
        })),
    }
}

/// The range of tools of this origin; `known` is sorted by origin.
fn span(known: &[CatalogTool], origin: SourceKind) -> (usize, usize) {
    (
        known.partition_point(|it| it.origin < origin),
        known.partition_point(|it| it.origin <= origin),
    )
}
