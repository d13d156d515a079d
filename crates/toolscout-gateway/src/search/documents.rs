//! Prepares tools for the index, with facts about their source.

use super::stamps::StampHasher;
use crate::sources::SourceSet;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{SourceId, SourceKind, Tool};
use toolscout_index::ToolDocument;

/// Maximum number of indexed characters of a source's own description.
const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// The facts about sources that the index needs.
pub(super) struct SourceTexts<'a>(HashMap<&'a SourceId, SourceText>);

struct SourceText {
    is_configured: bool,
    text: Arc<str>,
}

impl<'a> SourceTexts<'a> {
    pub(super) fn new(sources: &'a SourceSet) -> Self {
        Self(sources.all().iter().map(|item| (item.id(), SourceText::new(&**item))).collect())
    }

    /// The tool as a document of the index.
    pub(super) fn document<'d>(
        &'d self,
        tool: &'d Arc<Tool>,
        stamps: &StampHasher,
    ) -> ToolDocument<'d> {
        let source = self.0.get(&tool.id.source);
        // The description of an unapproved source does not count for its tools.
        let is_approved =
            tool.provenance.trusted && source.is_none_or(|source| source.is_configured);
        let about = source.filter(|_| is_approved).map_or("", |source| &source.text);
        ToolDocument {
            tool,
            stamp: stamps.stamp(tool, about),
            is_approved,
            source_description: about,
        }
    }
}

impl SourceText {
    fn new(source: &dyn toolscout_core::Source) -> Self {
        let text = source.about().unwrap_or_default();
        let end = text.char_indices().nth(MAX_DESCRIPTION_CHARS).map_or(text.len(), |(at, _)| at);
        // Request-specific sources are chosen by the sender of the request, not by the operator.
        Self { is_configured: source.kind() != SourceKind::Request, text: text[..end].into() }
    }
}
