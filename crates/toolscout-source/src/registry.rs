//! Tools that this process registers.
//!
//! A [`ToolBuilder`] makes a [`CodeTool`] from a name, a description and a closure; a [`Registry`]
//! contains them and is a [`Source`] like any other.

mod builder;
mod code_tool;
mod conflict;
mod empty;
mod param;
mod set;
mod typed;

#[cfg(test)]
mod tests;

pub use builder::ToolBuilder;
pub use code_tool::{CodeTool, RunError};
pub use conflict::{AlreadyRegistered, Conflict, RegisterOutcome, UnknownConflict};
pub use param::Param;
pub use typed::TypedBuilder;

use futures_util::stream;
use parking_lot::RwLock;
use set::ToolSet;
use std::sync::{Arc, LazyLock};
use tokio::sync::watch;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, Source, SourceError, SourceId, SourceKind,
    Tool, ToolCall, ToolName, ToolOutput,
};

/// Tools of this process. A clone is another handle to the same tools; any thread may change them
/// at any time.
///
/// Readers take a snapshot: they never see half of a bulk registration, and their snapshot does not
/// change.
#[derive(Debug, Clone)]
pub struct Registry {
    id: SourceId,
    conflict: Conflict,
    shared: Arc<RegistryState>,
}

#[derive(Debug, Default)]
struct RegistryState {
    /// Swapped or extended in one step; readers clone the `Arc` and release the lock before they
    /// use it.
    tools: RwLock<Arc<ToolSet>>,
    /// Notified after each actual change. It stores no history, so a slow listener blocks no
    /// writer.
    changed: watch::Sender<()>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// An empty registry with the source id `app`.
    pub fn new() -> Self {
        Self::named(SourceId::app())
    }

    /// The registry of this process, for code that has no handle of its own. It is empty until the
    /// process registers tools; `plugins::Registry::global` of `toolscout` serves them.
    pub fn global() -> &'static Self {
        static GLOBAL: LazyLock<Registry> = LazyLock::new(Registry::new);
        &GLOBAL
    }

    /// An empty registry with another source id.
    pub fn named(id: SourceId) -> Self {
        Self { id, conflict: Conflict::default(), shared: Arc::default() }
    }

    /// The same registry with another rule for taken names.
    pub fn on_conflict(self, conflict: Conflict) -> Self {
        Self { conflict, ..self }
    }

    /// Adds a tool; returns the outcome. Its source id becomes that of this registry.
    pub fn register(&self, tool: CodeTool) -> Result<RegisterOutcome, AlreadyRegistered> {
        let tool = self.adopt(tool);
        let (outcome, changed) = self.write(|set| {
            let outcome = Arc::make_mut(set).add(tool, self.conflict);
            let changed = outcome.as_ref().is_ok_and(|outcome| outcome.is_change());
            (outcome, changed)
        });
        self.notify(changed);
        outcome
    }

    /// Adds tools in one step; returns the outcome of each. With [`Conflict::Error`], one taken
    /// name rejects all of them.
    pub fn register_all(
        &self,
        tools: impl IntoIterator<Item = CodeTool>,
    ) -> Result<Vec<RegisterOutcome>, AlreadyRegistered> {
        // Collect before locking, since the iterator is foreign code.
        let tools: Vec<_> = tools.into_iter().map(|tool| self.adopt(tool)).collect();
        let outcomes = self.write(|set| {
            let mut next = ToolSet::clone(set);
            let outcomes: Vec<_> = tools
                .into_iter()
                .map(|tool| next.add(tool, self.conflict))
                .collect::<Result<_, _>>()?;
            *set = Arc::new(next);
            Ok(outcomes)
        })?;
        self.notify(outcomes.iter().any(|outcome| outcome.is_change()));
        Ok(outcomes)
    }

    /// Removes the tool; returns whether there was one. Running calls continue.
    pub fn unregister(&self, name: &str) -> bool {
        let existed = self.write(|set| set.find(name).is_some() && Arc::make_mut(set).remove(name));
        self.notify(existed);
        existed
    }

    /// Removes all tools.
    pub fn clear(&self) {
        let before = self.write(std::mem::take);
        self.notify(!before.is_empty());
    }

    /// All current tools, in the order of registration.
    pub fn list(&self) -> Vec<Tool> {
        self.snapshot().iter().map(|entry| entry.tool.tool.clone()).collect()
    }

    /// The current tool of this name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.snapshot().find(name).map(|tool| tool.tool.clone())
    }

    /// The current number of tools.
    pub fn len(&self) -> usize {
        self.snapshot().len()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.snapshot().is_empty()
    }

    fn adopt(&self, mut tool: CodeTool) -> CodeTool {
        tool.tool.id.source = self.id.clone();
        // The tool is part of the running program, so the user trusts it already.
        tool.tool.provenance.trusted = true;
        tool
    }

    fn snapshot(&self) -> Arc<ToolSet> {
        self.shared.tools.read().clone()
    }

    fn write<T>(&self, change: impl FnOnce(&mut Arc<ToolSet>) -> T) -> T {
        change(&mut self.shared.tools.write())
    }

    /// Notifies listeners. Call this after releasing the lock, so that they can read the tools.
    fn notify(&self, changed: bool) {
        if changed {
            self.shared.changed.send_replace(());
        }
    }
}

impl Source for Registry {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Code
    }

    fn discover(&self, _cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let found: Vec<_> =
            self.snapshot().iter().flat_map(|entry| entry.discovery_items()).map(Ok).collect();
        Box::pin(stream::iter(found))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(self.tool(name.as_str())) })
    }

    /// Cancel-safe if the tool's closure is.
    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            call.get().refuse_rest()?;
            let ToolCall { tool: id, arguments, .. } = call.into_inner();
            match self.snapshot().find(id.name.as_str()).cloned() {
                Some(tool) => tool.call(arguments, cx).await,
                None => {
                    Err(SourceError::NotMine { id: self.id.clone(), name: id.name.to_string() })
                }
            }
        })
    }

    /// One hint for any number of changes since the last one.
    fn changes(&self) -> BoxStream<'_, ()> {
        let listener = self.shared.changed.subscribe();
        Box::pin(stream::unfold(listener, |mut listener| async {
            listener.changed().await.ok()?;
            Some(((), listener))
        }))
    }
}
