//! From what a person or an agent typed to one tool.

use crate::{CatalogTool, Snapshot};
use std::sync::Arc;
use toolscout_core::{SourceId, SourceKind, Tool, ToolId};

/// Why a name does not lead to one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// No tool answers to it; these come nearest, best first.
    Unknown {
        /// Ids of tools with similar names.
        nearest: Vec<ToolId>,
    },
    /// Several sources of the same strength have it.
    Ambiguous {
        /// All of them.
        candidates: Vec<ToolId>,
    },
}

impl Snapshot {
    /// The tool that `text` means: `source__tool`, `source/tool`, `source:tool`, `mcp:tool` (any MCP server), or the
    /// bare name. Of a bare name that several sources have, the strongest source answers, if it is alone in that.
    pub fn resolve(&self, text: &str) -> Result<&Arc<Tool>, Unresolved> {
        for separator in ["/", ":", "__"] {
            if let Some(answer) = self.qualified(text, separator) {
                return answer;
            }
        }
        pick(self.named(text)).unwrap_or_else(|| Err(Unresolved::Unknown { nearest: self.nearest(text) }))
    }

    /// The tool that the same bare name means where this one turns out not to have it: among those that come after.
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

    /// Ids of tools whose bare or qualified name looks like this, best first, at most three.
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

/// The only tool of the strongest origin; `None` where there is none at all. Of those made for a request the first: who
/// makes them says in which order.
fn pick(known: &[CatalogTool]) -> Option<Result<&Arc<Tool>, Unresolved>> {
    let strongest = known.first()?.origin;
    let (_, end) = span(known, strongest);
    match &known[..end] {
        [one] => Some(Ok(&one.tool)),
        [first, ..] if strongest == SourceKind::Request => Some(Ok(&first.tool)),
        several => {
            Some(Err(Unresolved::Ambiguous { candidates: several.iter().map(|it| it.tool.id.clone()).collect() }))
        }
    }
}

/// Where the tools of this origin stand; `known` is sorted by origin.
fn span(known: &[CatalogTool], origin: SourceKind) -> (usize, usize) {
    (known.partition_point(|it| it.origin < origin), known.partition_point(|it| it.origin <= origin))
}
