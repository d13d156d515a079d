//! Sources that wrap another source and change one thing about it.

use crate::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, DiscoveryItem, Library, ReviewMode, Source,
    SourceError, SourceId, SourceKind, Tool, ToolCall, ToolName, ToolOutput,
};
use std::sync::Arc;

/// A source that wraps another. An implementation overrides what it changes; every other method
/// forwards to the source behind it, so a method added to [`Source`] is not lost in a layer.
pub trait Through: Send + Sync + 'static {
    /// The wrapped source. Both have the same id.
    fn behind(&self) -> &dyn Source;

    /// As [`Source::origin`].
    fn origin(&self) -> SourceKind {
        self.behind().origin()
    }

    /// As [`Source::discover`].
    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        self.behind().discover(cx)
    }

    /// As [`Source::load`].
    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.behind().load(name, cx)
    }

    /// As [`Source::call`].
    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.behind().call(call, cx)
    }

    /// As [`Source::review`].
    fn review(&self) -> ReviewMode {
        self.behind().review()
    }

    /// As [`Source::about`].
    fn about(&self) -> Option<Arc<str>> {
        self.behind().about()
    }

    /// As [`Source::library`].
    fn library(&self) -> Option<&dyn Library> {
        self.behind().library()
    }

    /// As [`Source::delegation`].
    fn delegation(&self) -> Option<Delegation> {
        self.behind().delegation()
    }

    /// As [`Source::changes`].
    fn changes(&self) -> BoxStream<'_, ()> {
        self.behind().changes()
    }
}

impl<T: Through> Source for T {
    fn id(&self) -> &SourceId {
        self.behind().id()
    }

    fn origin(&self) -> SourceKind {
        Through::origin(self)
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Through::discover(self, cx)
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Through::load(self, name, cx)
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Through::call(self, call, cx)
    }

    fn review(&self) -> ReviewMode {
        Through::review(self)
    }

    fn about(&self) -> Option<Arc<str>> {
        Through::about(self)
    }

    fn library(&self) -> Option<&dyn Library> {
        Through::library(self)
    }

    fn delegation(&self) -> Option<Delegation> {
        Through::delegation(self)
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        Through::changes(self)
    }
}
