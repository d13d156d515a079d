//! Where tools come from, and what may be wrapped around that.

use crate::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, Library, SourceError, SourceId, Tool, ToolCall, ToolName,
    ToolOutput,
};
use futures_util::stream;
use std::sync::Arc;

/// Somewhere tools come from: an MCP server, a folder, this very process.
///
/// Futures and streams may be dropped at any `.await`; that is how the gateway cancels.
pub trait Source: Send + Sync + 'static {
    /// Who this is.
    fn id(&self) -> &SourceId;

    /// How strong its names are against those of other sources.
    fn origin(&self) -> SourceKind;

    /// Tools and problems as they are found; ends when all is listed. A broken entry is a problem, not an error. A tool
    /// that comes again under the same name replaces the earlier one.
    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>>;

    /// The full definition, loading it if need be; `None`: not mine.
    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>>;

    /// Takes only what [`crate::authorization::authorize`] has let through.
    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>>;

    /// What must happen before its definitions are used. Default: nothing, they are as good as the code that gives them.
    fn review(&self) -> ReviewMode {
        ReviewMode::Unneeded
    }

    /// What it says of itself, not escaped, as far as that is known: for finding its tools. Default: nothing.
    fn about(&self) -> Option<Arc<str>> {
        None
    }

    /// What it has besides tools. Default: nothing.
    fn library(&self) -> Option<&dyn Library> {
        None
    }

    /// Whether it may be asked to search for itself, where it hides tools behind a search of its own. Default: no.
    fn delegation(&self) -> Option<Delegation> {
        None
    }

    /// Hints that another `discover` is worth its cost. Default: no hints, ever.
    fn changes(&self) -> BoxStream<'_, ()> {
        Box::pin(stream::pending())
    }
}

/// Wraps a source to change one thing about it: a time limit, a prefix, a filter.
pub trait Layer {
    /// The wrapped source.
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source>;
}

/// What must happen before a source's definitions are used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ReviewMode {
    /// Nothing.
    #[default]
    Unneeded,
    /// Each definition is approved before it is used, and held when it changes.
    Needed {
        /// Whether definitions are approved as first seen, because a person added the source; else each is held.
        approves_first_sight: bool,
        /// Whether changes are taken as they come.
        accepts_changes: bool,
        /// What the person configured, hashed: another entry under the same id is a new first sight.
        entry: Arc<str>,
    },
}

/// How a source that hides its tools behind `tool_search` and `execute_tool` may be asked for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delegation {
    /// Whether a person said that it is to be asked; else one has to approve of its two tools first.
    pub is_wanted: bool,
    /// Whether it can be asked as it is; else it would have to be started for that.
    pub is_up: bool,
    /// Whether all that it has may be seen. Where some of it is left out it is not asked: what it finds may be that, under
    /// whatever name.
    pub is_whole: bool,
}

/// One thing that a discovery found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DiscoveryItem {
    /// A tool.
    Tool(Arc<Tool>),
    /// Something that is wrong with one entry.
    Diagnostic(Diagnostic),
}

/// What sort of place a source is; where two sources have a tool of one name, the stronger one answers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// Registered in this process.
    Code,
    /// Files under a project's roots.
    Folder,
    /// An MCP server.
    Mcp,
    /// Made for one request.
    Request,
}
