//! Tools of one age, in the order of registration.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{SourceId, Tool, ToolId, ToolName};

#[derive(Debug)]
pub(super) struct RegisteredTools {
    created: Duration,
    tools: Vec<Arc<Tool>>,
    positions: HashMap<ToolId, usize>,
    /// The tool of each bare name.
    names: HashMap<ToolName, usize>,
}

impl RegisteredTools {
    pub(super) fn new(now: Duration) -> Self {
        Self { created: now, tools: Vec::new(), positions: HashMap::new(), names: HashMap::new() }
    }

    /// The age; zero if the clock goes back.
    pub(super) fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.created)
    }

    /// Adds a tool. An existing tool keeps its position.
    pub(super) fn add(&mut self, tool: Arc<Tool>) {
        let at = *self.positions.entry(tool.id.clone()).or_insert(self.tools.len());
        self.names.insert(tool.id.name.clone(), at);
        match self.tools.get_mut(at) {
            Some(slot) => *slot = tool,
            None => self.tools.push(tool),
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<Tool>> {
        let bare = || self.names.get(&ToolName::new(name).ok()?).copied();
        let qualified = || {
            let (server, tool) = name.split_once('/')?;
            self.positions
                .get(&ToolId::new(SourceId::new(server).ok()?, ToolName::new(tool).ok()?))
                .copied()
        };
        qualified().or_else(bare).map(|at| self.tools[at].clone())
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(super) fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }

    pub(super) fn of_server<'a>(
        &'a self,
        server: &'a SourceId,
    ) -> impl Iterator<Item = Arc<Tool>> + 'a {
        self.tools.iter().filter(move |tool| tool.id.source == *server).cloned()
    }

    pub(super) fn by_server(&self) -> Vec<(SourceId, Vec<ToolName>)> {
        let mut servers: Vec<(SourceId, Vec<ToolName>)> = Vec::new();
        let mut server_positions = HashMap::new();
        for tool in &self.tools {
            let at = *server_positions.entry(&tool.id.source).or_insert(servers.len());
            if at == servers.len() {
                servers.push((tool.id.source.clone(), Vec::new()));
            }
            servers[at].1.push(tool.id.name.clone());
        }
        servers
    }
}
