//! Says of any source that it was made for one request.

use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Found, Layer, Library, Origin, Review, Source, SourceError,
    SourceId, Tool, ToolCall, ToolName, ToolOutput,
};

/// Makes a source one of a request: its names give way to everybody's, and nothing of it is remembered for others.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfRequest;

impl Layer for OfRequest {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Wrapped(inner))
    }
}

struct Wrapped(Arc<dyn Source>);

impl Source for Wrapped {
    fn id(&self) -> &SourceId {
        self.0.id()
    }

    fn origin(&self) -> Origin {
        Origin::Request
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<Found, SourceError>> {
        self.0.discover(cx)
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.0.load(name, cx)
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.0.call(call, cx)
    }

    fn review(&self) -> Review {
        self.0.review()
    }

    fn about(&self) -> Option<Arc<str>> {
        self.0.about()
    }

    fn library(&self) -> Option<&dyn Library> {
        self.0.library()
    }

    fn delegation(&self) -> Option<Delegation> {
        self.0.delegation()
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        self.0.changes()
    }
}
