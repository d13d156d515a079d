//! How a root is searched for tools: the trait, what it is given, and what it finds.

use super::recipe::Recipe;
use super::roots::Root;
use futures_util::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, Cx, Diagnostic, SourceError, SourceId, Store, Tool};

/// Says which tools a root holds, from what can be read without running anything.
///
/// What may be started, which of two tools of one name stays, and what a missing runtime means is the source's business:
/// a tool whose status is `Unprobed` is asked by the source where that is allowed, one whose status is `Static` on its
/// first call.
pub trait ToolStrategy: Send + Sync + 'static {
    /// Tools and problems in the order they are to be listed in. The root's path is real: no link in it.
    fn tools<'a>(&'a self, root: &'a Root, visit: RootVisit) -> BoxStream<'a, Result<RootEntry, SourceError>>;

    /// The tools that one file describes, read anew. Default: all of the root's, without the others'.
    fn reread<'a>(
        &'a self,
        root: &'a Root,
        file: &'a Path,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        let is_of_file = move |it: &Result<RootEntry, SourceError>| match it {
            Ok(RootEntry::Tool(tool, _)) => tool.provenance.path.as_deref() == Some(file),
            _ => false,
        };
        Box::pin(self.tools(root, visit).filter(move |it| std::future::ready(is_of_file(it))))
    }

    /// The folders in which a change may matter. Default: the root.
    fn watched(&self, root: &Root) -> Vec<PathBuf> {
        vec![root.path.clone()]
    }

    /// Whether a change of this path may matter. Default: yes.
    fn heeds(&self, _root: &Root, _path: &Path) -> bool {
        true
    }
}

impl ToolStrategy for Arc<dyn ToolStrategy> {
    fn tools<'a>(&'a self, root: &'a Root, visit: RootVisit) -> BoxStream<'a, Result<RootEntry, SourceError>> {
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

    fn heeds(&self, root: &Root, path: &Path) -> bool {
        self.as_ref().heeds(root, path)
    }
}

/// For whom, and with what at hand, a root is visited.
#[derive(Clone)]
pub struct RootVisit {
    /// Whose tools they will be.
    pub source: SourceId,
    /// Where a scan may be remembered.
    pub store: Option<Arc<dyn Store>>,
    /// The request.
    pub cx: Cx,
}

/// One thing found in a root.
#[derive(Debug, Clone, PartialEq)]
pub enum RootEntry {
    /// A tool and how it is run.
    Tool(Box<Tool>, Recipe),
    /// Something that is wrong with one file.
    Diagnostic(Diagnostic),
}
