//! How a root is searched for tools: the strategy trait, its input and its entries.

use super::recipe::Recipe;
use super::roots::Root;
use futures_util::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, Cx, Diagnostic, SourceError, SourceId, Store, Tool};

/// Finds the tools of a root from their static descriptions, without running anything.
///
/// The source decides which files may be started, which of two tools with the same name is listed,
/// and how a missing runtime is reported. The source probes a tool with status `Unprobed` if that
/// is allowed, and a tool with status `Static` on its first call.
pub trait ToolStrategy: Send + Sync + 'static {
    /// Tools and diagnostics, in listing order. The path of the root is real, without links.
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>>;

    /// The tools of one file, read again. The default filters the tools of the whole root.
    fn reread<'a>(
        &'a self,
        root: &'a Root,
        file: &'a Path,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        let is_of_file = move |result: &Result<RootEntry, SourceError>| match result {
            Ok(RootEntry::Tool(tool, _)) => tool.provenance.path.as_deref() == Some(file),
            _ => false,
        };
        Box::pin(self.tools(root, visit).filter(move |tool| std::future::ready(is_of_file(tool))))
    }

    /// The folders to watch for changes. Default: the root.
    fn watched(&self, root: &Root) -> Vec<PathBuf> {
        vec![root.path.clone()]
    }

    /// Whether a change of this path is relevant. Default: yes.
    fn is_relevant(&self, _root: &Root, _path: &Path) -> bool {
        true
    }
}

impl ToolStrategy for Arc<dyn ToolStrategy> {
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        self.as_ref().tools(root, visit)
    }

    fn reread<'a>(
        &'a self,
        root: &'a Root,
        file: &'a Path,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        self.as_ref().reread(root, file, visit)
    }

    fn watched(&self, root: &Root) -> Vec<PathBuf> {
        self.as_ref().watched(root)
    }

    fn is_relevant(&self, root: &Root, path: &Path) -> bool {
        self.as_ref().is_relevant(root, path)
    }
}

/// The context in which a root is searched.
#[derive(Clone)]
pub struct RootVisit {
    /// The id of the source that lists the tools.
    pub source: SourceId,
    /// The store that may cache a scan.
    pub store: Option<Arc<dyn Store>>,
    /// The request context.
    pub cx: Cx,
    /// Whether the root is trusted. The configuration of a project that is not trusted may name
    /// any folder as a root, so less of it is listed.
    pub is_trusted: bool,
}

/// One finding in a root.
#[derive(Debug, Clone, PartialEq)]
pub enum RootEntry {
    /// A tool and its recipe.
    Tool(Box<Tool>, Recipe),
    /// A diagnostic about one file.
    Diagnostic(Diagnostic),
}
