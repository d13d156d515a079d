//! The part of a source that agents are shown, and what of it is listed. Which part that is may change while it is shown.

use crate::config::{Config, Names, Profile, filter};
use futures_util::{StreamExt, future};
use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Found, Library, Source, SourceError, SourceId, Through, Tool,
    ToolCall, ToolName, ToolOutput, Visibility,
};
use toolscout_source::layer::Filter;

/// Which tools are shown, of all sources.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Part {
    /// Only these; all where left out.
    include: Option<Names>,
    exclude: Names,
    /// Listed, whatever their sources say.
    listed: Names,
}

/// A part that can be replaced.
#[derive(Debug, Default)]
pub(super) struct Parts(Mutex<Arc<Part>>);

impl Part {
    /// Everything.
    pub(super) fn all(config: &Config) -> Self {
        Self { listed: config.listed.clone(), ..Self::default() }
    }

    /// That of a profile. Where it says what is listed, nobody else does.
    pub(super) fn of(profile: &Profile, config: &Config) -> Self {
        Self {
            include: profile.include.clone(),
            exclude: profile.exclude.clone(),
            listed: profile.listed.as_ref().unwrap_or(&config.listed).clone(),
        }
    }

    /// Whether anything of this source could be shown.
    pub(super) fn has(&self, source: &SourceId) -> bool {
        self.include.as_ref().is_none_or(|it| it.may_name(source)) && !self.exclude.name_all(source)
    }

    /// Whether nothing of this source is left out, so that it may be asked for what nobody has seen yet.
    pub(super) fn has_every_tool(&self, source: &SourceId) -> bool {
        self.has_whole(source) && !self.exclude.may_name(source)
    }

    /// Whether all of this source is meant, and not some of its tools: then what it has besides tools is, too.
    pub(super) fn has_whole(&self, source: &SourceId) -> bool {
        self.has(source) && self.include.as_ref().is_none_or(|it| it.name_all(source))
    }
}

impl Parts {
    pub(super) fn of(part: Part) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Arc::new(part))))
    }

    pub(super) fn now(&self) -> Arc<Part> {
        self.0.lock().clone()
    }

    /// What the part means for this source, now.
    pub(super) fn look(&self, source: &SourceId) -> Look {
        let part = self.now();
        Look {
            include: part.include.as_ref().map(|it| filter(it, source)),
            exclude: filter(&part.exclude, source),
            listed: filter(&part.listed, source),
        }
    }

    /// Calls what is shown; all else is as good as not there.
    pub(super) fn call<'a>(
        &self,
        source: &'a dyn Source,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'a, Result<ToolOutput, SourceError>> {
        let name = &call.get().tool.name;
        if self.look(source.id()).shows(name) {
            return source.call(call, cx);
        }
        let not_mine = SourceError::NotMine { id: source.id().clone(), name: name.as_str().to_owned() };
        Box::pin(future::ready(Err(not_mine)))
    }

    /// What a source has besides tools, where all of the source is meant.
    pub(super) fn library<'a>(&self, source: &'a dyn Source) -> Option<&'a dyn Library> {
        source.library().filter(|_| self.now().has_whole(source.id()))
    }

    pub(super) fn set(&self, part: Part) {
        *self.0.lock() = Arc::new(part);
    }
}

/// A source of which a part is shown.
pub(super) struct Shown {
    inner: Arc<dyn Source>,
    parts: Arc<Parts>,
}

/// What a part means for one source.
pub(super) struct Look {
    include: Option<Filter>,
    exclude: Filter,
    listed: Filter,
}

impl Shown {
    pub(super) fn new(inner: Arc<dyn Source>, parts: Arc<Parts>) -> Self {
        Self { inner, parts }
    }

    fn look(&self) -> Look {
        self.parts.look(self.inner.id())
    }
}

impl Look {
    pub(super) fn shows(&self, name: &ToolName) -> bool {
        self.include.as_ref().is_none_or(|it| it.lets(name)) && !self.exclude.lets(name)
    }

    pub(super) fn lists(&self, name: &ToolName) -> bool {
        self.listed.lets(name)
    }

    fn at(&self, found: Result<Found, SourceError>) -> Option<Result<Found, SourceError>> {
        match found {
            Ok(Found::Tool(tool)) if !self.shows(&tool.id.name) => None,
            Ok(Found::Tool(mut tool)) if tool.visibility != Visibility::Listed && self.lists(&tool.id.name) => {
                Arc::make_mut(&mut tool).visibility = Visibility::Listed;
                Some(Ok(Found::Tool(tool)))
            }
            found => Some(found),
        }
    }
}

impl Through for Shown {
    fn behind(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<Found, SourceError>> {
        let look = self.look();
        Box::pin(self.inner.discover(cx).filter_map(move |it| future::ready(look.at(it))))
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let look = self.look();
        if !look.shows(name) {
            return Box::pin(future::ready(Ok(None)));
        }
        Box::pin(async move {
            let mut loaded = self.inner.load(name, cx).await?;
            if let Some(tool) = loaded.as_mut().filter(|it| look.lists(&it.id.name)) {
                tool.visibility = Visibility::Listed;
            }
            Ok(loaded)
        })
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.parts.call(&*self.inner, call, cx)
    }

    fn library(&self) -> Option<&dyn Library> {
        self.parts.library(&*self.inner)
    }

    fn delegation(&self) -> Option<Delegation> {
        let is_whole = self.parts.now().has_every_tool(self.id());
        self.inner.delegation().map(|it| Delegation { is_whole: it.is_whole && is_whole, ..it })
    }
}
