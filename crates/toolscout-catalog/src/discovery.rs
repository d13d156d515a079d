//! What one source found, gathered.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use toolscout_core::{Diagnostic, DiscoveryItem, SourceId, SourceKind, Tool, ToolName};

/// Everything one run through one source found, in the order it was found.
#[derive(Debug, Clone)]
pub struct SourceDiscovery {
    /// Whose tools these are.
    pub source: SourceId,
    /// How strong its names are.
    pub origin: SourceKind,
    /// The tools; no name twice.
    pub tools: Vec<Arc<Tool>>,
    /// What went wrong beside them.
    pub problems: Vec<Diagnostic>,
    positions: HashMap<ToolName, usize>,
}

impl SourceDiscovery {
    /// Nothing found yet.
    pub fn new(source: SourceId, origin: SourceKind) -> Self {
        Self { source, origin, tools: Vec::new(), problems: Vec::new(), positions: HashMap::new() }
    }

    /// Adds one finding. A tool whose name is there already takes the earlier one's place.
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

    /// The same discovery with each tool as this gives it; without those of which it gives nothing.
    pub fn each(&self, given: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let mut next = Self { problems: self.problems.clone(), ..Self::new(self.source.clone(), self.origin) };
        self.tools.iter().filter_map(given).for_each(|it| next.add(DiscoveryItem::Tool(it)));
        next
    }
}
