//! A snapshot of a registry's tools, in order and by name.

use super::{AlreadyRegistered, CodeTool, Conflict, RegisterOutcome};
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{Diagnostic, DiagnosticKind, DiscoveryItem};

#[derive(Debug, Clone, Default)]
pub(super) struct ToolSet {
    entries: Vec<RegisteredTool>,
    positions: HashMap<String, usize>,
}

#[derive(Debug, Clone)]
pub(super) struct RegisteredTool {
    pub(super) tool: Arc<CodeTool>,
    /// The diagnostic, if a second tool was registered under this name.
    collision: Option<Diagnostic>,
}

impl ToolSet {
    pub(super) fn add(
        &mut self,
        tool: CodeTool,
        conflict: Conflict,
    ) -> Result<RegisterOutcome, AlreadyRegistered> {
        let name = tool.tool.id.name.to_string();
        let Some(&position) = self.positions.get(&name) else {
            self.positions.insert(name, self.entries.len());
            self.entries.push(RegisteredTool { tool: Arc::new(tool), collision: None });
            return Ok(RegisterOutcome::Added);
        };
        let entry = &mut self.entries[position];
        let (outcome, winner) = match conflict {
            Conflict::Replace => (RegisterOutcome::Replaced, "later"),
            Conflict::Skip => (RegisterOutcome::Skipped, "earlier"),
            Conflict::Error => return Err(AlreadyRegistered { name }),
        };
        let message =
            format!("`{name}` is registered more than once; the {winner} definition is used");
        let source = entry.tool.tool.id.source.clone();
        entry.collision =
            Some(Diagnostic::warning(DiagnosticKind::Collision, message).with_source(source));
        if outcome == RegisterOutcome::Replaced {
            entry.tool = Arc::new(tool);
        }
        Ok(outcome)
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(position) = self.positions.remove(name) else { return false };
        self.entries.remove(position);
        for later in self.positions.values_mut().filter(|other| **other > position) {
            *later -= 1;
        }
        true
    }

    pub(super) fn find(&self, name: &str) -> Option<&Arc<CodeTool>> {
        self.positions.get(name).map(|position| &self.entries[*position].tool)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &RegisteredTool> {
        self.entries.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl RegisteredTool {
    /// The tool, and the diagnostic about its name, if any.
    pub(super) fn discovery_items(&self) -> Vec<DiscoveryItem> {
        let tool = DiscoveryItem::Tool(Arc::new(self.tool.tool.clone()));
        [Some(tool), self.collision.clone().map(DiscoveryItem::Diagnostic)]
            .into_iter()
            .flatten()
            .collect()
    }
}
