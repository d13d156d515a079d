//! The traits of sources, which supply tools, and of layers, which wrap sources.

use crate::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, Library, SourceError, SourceId, Tool,
    ToolCall, ToolName, ToolOutput,
};
use futures_util::stream;
use std::sync::Arc;

/// A supplier of tools: an MCP server, a folder, this process.
///
/// Futures and streams may be dropped at any `.await`; that is how the gateway cancels.
pub trait Source: Send + Sync + 'static {
    /// The id of this source.
    fn id(&self) -> &SourceId;

    /// The kind, which decides the precedence of its names over those of other sources.
    fn kind(&self) -> SourceKind;

    /// Streams tools and diagnostics as they are found; ends when all are listed. A broken entry is
    /// a diagnostic, not an error. A tool that is found again under the same name replaces the
    /// earlier one.
    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>>;

    /// The full definition, loaded if necessary; `None` if this source has no such tool.
    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>>;

    /// Runs an authorized call; see [`crate::authorization::authorize`].
    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>>;

    /// The review that its definitions need before use. Default: none, since they are as trusted as
    /// the code that supplies them.
    fn review(&self) -> ReviewMode {
        ReviewMode::Unneeded
    }

    /// The source's own description of itself, not escaped, as far as it is known. Search uses it.
    /// Default: none.
    fn about(&self) -> Option<Arc<str>> {
        None
    }

    /// Resources, prompts and completion. Default: none.
    fn library(&self) -> Option<&dyn Library> {
        None
    }

    /// How to delegate searches to it, if it hides tools behind a search of its own. Default: no
    /// delegation.
    fn delegation(&self) -> Option<Delegation> {
        None
    }

    /// Hints that another `discover` is worth its cost. Default: a stream without items.
    fn changes(&self) -> BoxStream<'_, ()> {
        Box::pin(stream::pending())
    }
}

/// Wraps a source to change one thing about it: a time limit, a prefix, a filter.
pub trait Layer {
    /// Wraps a source.
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source>;
}

/// The review that the definitions of a source need before use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ReviewMode {
    /// None.
    #[default]
    Unneeded,
    /// Each definition must be approved before it is used, and is quarantined when it changes.
    Needed {
        /// Whether definitions are approved when first seen, because a user added the source;
        /// otherwise each is quarantined.
        approves_first_sight: bool,
        /// Whether a definition that a known source did not have before is approved when first
        /// seen; otherwise it is quarantined.
        approves_new_tools: bool,
        /// Whether changed definitions are approved automatically.
        accepts_changes: bool,
        /// A hash of the configured entry: after another entry under the same id, approved
        /// definitions count as new ones; quarantined ones stay.
        entry: Arc<str>,
    },
}

/// How searches may be delegated to a source that hides its tools behind `tool_search` and
/// `execute_tool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delegation {
    /// Whether a user enabled delegation; otherwise a user has to approve its two tools first.
    pub is_enabled: bool,
    /// Whether the source is running; otherwise it would have to be started.
    pub is_running: bool,
    /// Whether all its tools are visible. If some are filtered out, searches are not delegated: the
    /// source could return those under another name.
    pub is_unfiltered: bool,
}

/// One result of a discovery.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DiscoveryItem {
    /// A tool.
    Tool(Arc<Tool>),
    /// A finding about one entry.
    Diagnostic(Diagnostic),
}

/// The kind of a source. If two sources have a tool with the same name, the kind with higher
/// precedence gets the bare name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// Registered in this process.
    Code,
    /// Files under a project's roots.
    Folder,
    /// An MCP server.
    Mcp,
    /// Created for one request.
    Request,
}
