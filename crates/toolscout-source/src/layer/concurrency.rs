//! Bounds how many calls a source works on at once.

use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Found, Layer, Library, Origin, Review, Source, SourceError,
    SourceId, Tool, ToolCall, ToolName, ToolOutput,
};

/// At most this many calls at once, at least one; further ones wait in line, as long as their request lasts. Each
/// source has a line of its own.
#[derive(Debug, Clone, Copy)]
pub struct Concurrency(pub usize);

impl Layer for Concurrency {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        let places = self.0.clamp(1, Semaphore::MAX_PERMITS);
        Arc::new(Limited { places: Semaphore::new(places), inner })
    }
}

struct Limited {
    places: Semaphore,
    inner: Arc<dyn Source>,
}

impl Source for Limited {
    fn id(&self) -> &SourceId {
        self.inner.id()
    }

    fn origin(&self) -> Origin {
        self.inner.origin()
    }

    fn review(&self) -> Review {
        self.inner.review()
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<Found, SourceError>> {
        self.inner.discover(cx)
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.inner.load(name, cx)
    }

    /// Cancel-safe: a call that is dropped gives up its place, in line or at work.
    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let limit = cx.remaining().unwrap_or_default();
            let place = self.places.acquire();
            let place = match cx.deadline {
                None => place.await,
                Some(due) => timeout_at(due.into(), place).await.map_err(|_| SourceError::TimedOut {
                    id: self.id().clone(),
                    what: format!("waiting to call `{}`", call.get().tool.name),
                    limit,
                })?,
            };
            let _place = place.expect("nobody closes the line");
            self.inner.call(call, cx).await
        })
    }

    fn about(&self) -> Option<Arc<str>> {
        self.inner.about()
    }

    fn library(&self) -> Option<&dyn Library> {
        self.inner.library()
    }

    fn delegation(&self) -> Option<Delegation> {
        self.inner.delegation()
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        self.inner.changes()
    }
}
