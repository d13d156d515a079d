//! Combines the entries of all roots: resolves name conflicts, deduplicates diagnostics and stops
//! on a fatal error.

use super::prompts::Prompt;
use super::recipe::Recipe;
use super::roots::Root;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::Sender;
use toolscout_core::{
    Diagnostic, DiagnosticKind, DiagnosticLevel, DiscoveryItem, SourceError, Tool, ToolName, escape,
};
use toolscout_source::Conflict;

/// A listed tool and its recipe.
#[derive(Debug, Clone)]
pub(super) struct ListedTool {
    pub(super) tool: Arc<Tool>,
    pub(super) recipe: Recipe,
    pub(super) location: Arc<ToolLocation>,
}

/// The location of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolLocation {
    /// The root, with a real path.
    pub(super) root: Root,
    /// Whether the file was named explicitly instead of being found by a strategy.
    pub(super) is_explicit: bool,
}

/// The listed tools by name.
pub(super) type ToolTable = HashMap<ToolName, Arc<ListedTool>>;

/// The configured reaction to conflicts and warnings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GatherRules {
    pub(super) on_conflict: Conflict,
    pub(super) strict: bool,
}

/// The discovery ended with an error that was already sent to the reader.
pub(super) struct DiscoveryStopped;

/// A running discovery.
pub(super) struct Gathering<'a> {
    out: &'a Sender<Result<DiscoveryItem, SourceError>>,
    rules: GatherRules,
    table: ToolTable,
    prompts: Vec<Prompt>,
    /// Lowercase names, to find names that differ only in case.
    folded: HashMap<String, ToolName>,
    reported: HashSet<String>,
    /// The number of tools and warnings so far.
    pub(super) item_count: usize,
    /// Files that were already listed by an earlier root or as explicit files.
    earlier: HashSet<PathBuf>,
    current: HashSet<PathBuf>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        out: &'a Sender<Result<DiscoveryItem, SourceError>>,
        rules: GatherRules,
    ) -> Self {
        let (table, folded, reported) = (HashMap::new(), HashMap::new(), HashSet::new());
        let (earlier, current) = (HashSet::new(), HashSet::new());
        Self {
            out,
            rules,
            table,
            prompts: Vec::new(),
            folded,
            reported,
            item_count: 0,
            earlier,
            current,
        }
    }

    pub(super) fn into_parts(self) -> (ToolTable, Vec<Prompt>) {
        (self.table, self.prompts)
    }

    /// Starts the next root.
    pub(super) fn next_root(&mut self) {
        self.earlier.extend(self.current.drain());
    }

    /// Reports a diagnostic, without deduplication.
    pub(super) async fn report(&mut self, diagnostic: Diagnostic) -> Result<(), DiscoveryStopped> {
        self.item_count += usize::from(diagnostic.level == DiagnosticLevel::Warning);
        if let Some(path) = &diagnostic.path {
            if self.earlier.contains(path) {
                return Ok(());
            }
            self.current.insert(path.clone());
        }
        // A folder that is not trusted yet is not an error.
        let is_warning = diagnostic.level >= DiagnosticLevel::Warning
            && diagnostic.kind != DiagnosticKind::Untrusted;
        if self.rules.strict && is_warning {
            return self.stop(SourceError::Stopped(Box::new(diagnostic))).await;
        }
        self.send(Ok(DiscoveryItem::Diagnostic(diagnostic))).await;
        Ok(())
    }

    /// Reports a diagnostic once per key.
    pub(super) async fn report_once(
        &mut self,
        key: String,
        diagnostic: Diagnostic,
    ) -> Result<(), DiscoveryStopped> {
        if self.reported.insert(key) { self.report(diagnostic).await } else { Ok(()) }
    }

    /// Sends an error and ends the discovery.
    pub(super) async fn stop(&mut self, err: SourceError) -> Result<(), DiscoveryStopped> {
        self.send(Err(err)).await;
        Err(DiscoveryStopped)
    }

    /// Lists a tool, or reports why it is not listed.
    pub(super) async fn tool(&mut self, listed: ListedTool) -> Result<(), DiscoveryStopped> {
        self.item_count += 1;
        if let Some(path) = &listed.tool.provenance.path {
            if self.earlier.contains(path) {
                return Ok(());
            }
            self.current.insert(path.clone());
        }
        let name = listed.tool.id.name.clone();
        // A tool name becomes a command name, so names from all strategies are checked.
        if let Err(err) = ToolName::for_command(name.as_str()) {
            return self
                .report(about(&listed.tool, DiagnosticKind::Forbidden, err.to_string()))
                .await;
        }
        if let Some(first) = self.table.get(&name).cloned() {
            self.conflict(&first.tool, &listed.tool).await?;
            if self.rules.on_conflict == Conflict::Skip {
                return Ok(());
            }
        } else {
            self.report_similar_name(&listed.tool).await?;
        }
        let item = DiscoveryItem::Tool(listed.tool.clone());
        self.table.insert(name, Arc::new(listed));
        self.send(Ok(item)).await;
        Ok(())
    }

    /// Lists a prompt; of two prompts with the same name the first one stays.
    pub(super) async fn prompt(
        &mut self,
        prompt: Prompt,
        root: &Path,
    ) -> Result<(), DiscoveryStopped> {
        if self.prompts.iter().any(|item| item.name == prompt.name) {
            let message = format!(
                "an earlier root also has a prompt `{}`, which is used instead",
                prompt.name
            );
            return self
                .report(Diagnostic::warning(DiagnosticKind::Collision, message).with_path(root))
                .await;
        }
        self.prompts.push(prompt);
        Ok(())
    }

    /// Reports that two tools have the same name.
    async fn conflict(&mut self, first: &Tool, second: &Tool) -> Result<(), DiscoveryStopped> {
        let (first, later, name) = (describe_path(first), describe_path(second), &second.id.name);
        let message = match self.rules.on_conflict {
            Conflict::Replace => format!("two tools are named `{name}`; {later} replaces {first}"),
            Conflict::Skip => {
                format!("two tools are named `{name}`; {first} is used, {later} is skipped")
            }
            Conflict::Error => format!(
                "Tool '{name}' is already registered, by {first}; {later} has the same name"
            ),
        };
        let diagnostic = about(second, DiagnosticKind::Collision, message);
        match self.rules.on_conflict {
            Conflict::Error => self.stop(SourceError::Stopped(Box::new(diagnostic))).await,
            Conflict::Replace | Conflict::Skip => self.report(diagnostic).await,
        }
    }

    /// Reports names that differ only in case: they are two tools, but users and some file systems
    /// confuse them.
    async fn report_similar_name(&mut self, tool: &Tool) -> Result<(), DiscoveryStopped> {
        let name = &tool.id.name;
        match self.folded.insert(name.as_str().to_lowercase(), name.clone()) {
            Some(other) if other != *name => {
                let first = self
                    .table
                    .get(&other)
                    .map(|listed| describe_path(&listed.tool))
                    .unwrap_or_default();
                let message =
                    format!("`{name}` and `{other}` differ only in case; `{other}` is in {first}");
                self.report(about(tool, DiagnosticKind::Collision, message)).await
            }
            _ => Ok(()),
        }
    }

    /// Sends an item. The same task polls the reader, so the channel is still open.
    async fn send(&self, item: Result<DiscoveryItem, SourceError>) {
        let _ = self.out.send(item).await;
    }
}

/// A warning about a tool, with the path of its file.
pub(super) fn about(tool: &Tool, kind: DiagnosticKind, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::warning(kind, message).with_source(tool.id.source.clone());
    Diagnostic { path: tool.provenance.path.clone(), ..diagnostic }
}

fn describe_path(tool: &Tool) -> String {
    let path = tool.provenance.path.as_ref().map(|path| path.display().to_string());
    path.map_or_else(|| "an unknown file".to_owned(), |path| format!("`{}`", escape::line(&path)))
}
