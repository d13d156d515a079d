//! Collects the discovery of one source.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use toolscout_core::{Diagnostic, DiscoveryItem, SourceId, SourceKind, Tool, ToolName};

/// The result of one discovery of one source, in the order of the items.
#[derive(Debug, Clone)]
pub struct SourceDiscovery {
    /// The source of the tools.
    pub source: SourceId,
    /// The kind of the source, which decides how strong its names are.
    pub kind: SourceKind,
    /// The tools, with unique names.
    pub tools: Vec<Arc<Tool>>,
    /// The diagnostics of the discovery.
    pub diagnostics: Vec<Diagnostic>,
    positions: HashMap<ToolName, usize>,
}

impl SourceDiscovery {
    /// An empty discovery.
    pub fn new(source: SourceId, kind: SourceKind) -> Self {
        Self { source, kind, tools: Vec::new(), diagnostics: Vec::new(), positions: HashMap::new() }
    }

    /// Adds one item. A tool with an existing name replaces the earlier one.
    pub fn add(&mut self, item: DiscoveryItem) {
        let tool = match item {
            DiscoveryItem::Tool(tool) => tool,
            DiscoveryItem::Diagnostic(diagnostic) => return self.diagnostics.push(diagnostic),
            _ => return,
        };
        match self.positions.entry(tool.id.name.clone()) {
            Entry::Occupied(at) => self.tools[*at.get()] = tool,
            Entry::Vacant(slot) => {
                slot.insert(self.tools.len());
                self.tools.push(tool);
            }
        }
    }

    /// Maps each tool of the discovery; tools that map to `None` are left out.
    pub fn filter_map_tools(&self, f: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let mut next = Self {
            diagnostics: self.diagnostics.clone(),
            ..Self::new(self.source.clone(), self.kind)
        };
        self.tools.iter().filter_map(f).for_each(|tool| next.add(DiscoveryItem::Tool(tool)));
        next
    }
}
