//! The tools of an index, accessed by number.

use crate::document::ToolDocument;
use crate::entry::SearchableText;
use hashbrown::HashMap;
use std::sync::{Arc, OnceLock};
use toolscout_core::{SourceId, Tool, ToolId};

/// Tools in input order; the number of a tool is its position.
#[derive(Default)]
pub(crate) struct IndexedTools {
    pub(crate) all: Vec<Arc<Tool>>,
    /// The number of the source, by tool.
    pub(crate) sources: Vec<u32>,
    /// Whether the source is approved, by tool.
    approved: Vec<bool>,
    positions: OnceLock<HashMap<ToolId, u32>>,
    entries: OnceLock<Vec<SearchableText>>,
}

impl IndexedTools {
    pub(crate) fn new(documents: &[ToolDocument<'_>]) -> Self {
        let mut numbers: HashMap<&SourceId, u32> = HashMap::new();
        let mut number = |source| {
            let next = numbers.len() as u32;
            *numbers.entry(source).or_insert(next)
        };
        Self {
            sources: documents.iter().map(|document| number(&document.tool.id.source)).collect(),
            approved: documents.iter().map(|document| document.is_approved).collect(),
            all: documents.iter().map(|document| document.tool.clone()).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn id(&self, tool: u32) -> &ToolId {
        &self.all[tool as usize].id
    }

    pub(crate) fn is_approved(&self, tool: u32) -> bool {
        self.approved[tool as usize]
    }

    pub(crate) fn position_of(&self, tool: &ToolId) -> Option<u32> {
        let number = || self.all.iter().zip(0..).map(|(tool, at)| (tool.id.clone(), at)).collect();
        self.positions.get_or_init(number).get(tool).copied()
    }

    /// The texts for the ladder profiles. Built on first use.
    pub(crate) fn entries(&self) -> &[SearchableText] {
        self.entries.get_or_init(|| self.all.iter().map(|tool| SearchableText::new(tool)).collect())
    }
}
