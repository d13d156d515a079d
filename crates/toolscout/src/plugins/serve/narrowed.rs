//! A part of what another gateway knows of a source: looked at, reviewed and approved there, and shown here.

use super::shown::Parts;
use futures_util::stream;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Found, Library, Review, Source, SourceError, Through, Tool,
    ToolCall, ToolName, ToolOutput, Visibility,
};
use toolscout_gateway::Gateway;

/// What a profile has of a source. It is never asked by itself: everybody agrees about what it has, and what of that is held.
pub(super) struct Narrowed {
    inner: Arc<dyn Source>,
    main: Main,
    parts: Arc<Parts>,
}

/// The gateway that has everything, and what is listed there.
#[derive(Clone)]
pub(super) struct Main {
    pub(super) gateway: Arc<Gateway>,
    pub(super) parts: Arc<Parts>,
}

impl Narrowed {
    pub(super) fn new(inner: Arc<dyn Source>, main: Main, parts: Arc<Parts>) -> Self {
        Self { inner, main, parts }
    }

    fn shows(&self, name: &ToolName) -> bool {
        self.parts.look(self.inner.id()).shows(name)
    }

    /// Everything that is known, as the profile has it. What is listed elsewhere because a person said so is not listed here
    /// for that.
    fn known(&self) -> Vec<Arc<Tool>> {
        let id = self.inner.id();
        let (here, there) = (self.parts.look(id), self.main.parts.look(id));
        let snapshot = self.main.gateway.whole_snapshot();
        let shown = snapshot.tools().filter(|it| it.id.source == *id && here.shows(&it.id.name));
        let as_here = |tool: &Arc<Tool>| {
            let visibility = match tool.visibility {
                _ if here.lists(&tool.id.name) => Visibility::Listed,
                _ if there.lists(&tool.id.name) => Visibility::Searchable,
                own => own,
            };
            match visibility == tool.visibility {
                true => tool.clone(),
                false => Arc::new(Tool { visibility, ..Tool::clone(tool) }),
            }
        };
        shown.map(as_here).collect()
    }
}

impl Through for Narrowed {
    fn behind(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<Found, SourceError>> {
        Box::pin(stream::iter(self.known().into_iter().map(|it| Ok(Found::Tool(it)))))
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            if !self.shows(name) {
                return Ok(None);
            }
            let loaded = self.inner.load(name, cx.clone()).await?;
            let is_news = loaded.as_ref().is_some_and(|it| self.main.gateway.whole_snapshot().tool(&it.id).is_none());
            if is_news {
                self.main.gateway.refresh_source(self.id(), &cx).await;
            }
            Ok(loaded)
        })
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.parts.call(&*self.inner, call, cx)
    }

    /// It was reviewed where everything is.
    fn review(&self) -> Review {
        Review::Unneeded
    }

    fn library(&self) -> Option<&dyn Library> {
        self.parts.library(&*self.inner)
    }

    fn delegation(&self) -> Option<Delegation> {
        self.inner.delegation().filter(|_| self.parts.now().has_every_tool(self.id()))
    }

    /// Whoever has everything listens, and says when there is something new.
    fn changes(&self) -> BoxStream<'_, ()> {
        Box::pin(stream::pending())
    }
}
