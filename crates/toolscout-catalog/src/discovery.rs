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
    pub origin: SourceKind,
    /// The tools, with unique names.
    pub tools: Vec<Arc<Tool>>,
    /// The diagnostics of the discovery.
    pub problems: Vec<Diagnostic>,
    positions: HashMap<ToolName, usize>,
}

impl SourceDiscovery {
    /// An empty discovery.
    pub fn new(source: SourceId, origin: SourceKind) -> Self {
        Self { source, origin, tools: Vec::new(), problems: Vec::new(), positions: HashMap::new() }
    }

    /// Adds one item. A tool with an existing name replaces the earlier one.
    pub fn add(&mut self, found: DiscoveryItem) {
        let tool = match found {
            DiscoveryItem::Tool(tool) => tool,
            DiscoveryItem::Diagnostic(problem) => return self.problems.push(problem),
            _ => return,
        };
        match self.positions.entry(tool.id.name.clone()) {
            Entry::Occupied(at) => self.tools[*at.get()] = tool,
            Entry::Vacant(place) => {
                place.insert(self.tools.len());
                self.tools.push(tool);
            }
        }
    }

    /// Maps each tool of the discovery; tools that map to `None` are left out.
    pub fn each(&self, given: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let mut next =
            Self { problems: self.problems.clone(), ..Self::new(self.source.clone(), self.origin) };
        self.tools.iter().filter_map(given).for_each(|it| next.add(DiscoveryItem::Tool(it)));
        next
    }
}
