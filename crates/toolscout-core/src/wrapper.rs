//! Sources that wrap another source and change one thing about it.

use crate::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, DiscoveryItem, Library, ReviewMode, Source,
    SourceError, SourceId, SourceKind, Tool, ToolCall, ToolName, ToolOutput,
};
use std::sync::Arc;

/// A source that wraps another. An implementation overrides what it changes; every other method
/// forwards to the source behind it, so a method added to [`Source`] is not lost in a layer.
pub trait SourceWrapper: Send + Sync + 'static {
    /// The wrapped source. Both have the same id.
    fn inner(&self) -> &dyn Source;

    /// As [`Source::kind`].
    fn kind(&self) -> SourceKind {
        self.inner().kind()
    }

    /// As [`Source::discover`].
    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        self.inner().discover(cx)
    }

    /// As [`Source::load`].
    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.inner().load(name, cx)
    }

    /// As [`Source::call`].
    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.inner().call(call, cx)
    }

    /// As [`Source::review`].
    fn review(&self) -> ReviewMode {
        self.inner().review()
    }

    /// As [`Source::about`].
    fn about(&self) -> Option<Arc<str>> {
        self.inner().about()
    }

    /// As [`Source::library`].
    fn library(&self) -> Option<&dyn Library> {
        self.inner().library()
    }

    /// As [`Source::delegation`].
    fn delegation(&self) -> Option<Delegation> {
        self.inner().delegation()
    }

    /// As [`Source::changes`].
    fn changes(&self) -> BoxStream<'_, ()> {
        self.inner().changes()
    }
}

impl<T: SourceWrapper> Source for T {
    fn id(&self) -> &SourceId {
        self.inner().id()
    }

    fn kind(&self) -> SourceKind {
        SourceWrapper::kind(self)
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        SourceWrapper::discover(self, cx)
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        SourceWrapper::load(self, name, cx)
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        SourceWrapper::call(self, call, cx)
    }

    fn review(&self) -> ReviewMode {
        SourceWrapper::review(self)
    }

    fn about(&self) -> Option<Arc<str>> {
        SourceWrapper::about(self)
    }

    fn library(&self) -> Option<&dyn Library> {
        SourceWrapper::library(self)
    }

    fn delegation(&self) -> Option<Delegation> {
        SourceWrapper::delegation(self)
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        SourceWrapper::changes(self)
    }
}
