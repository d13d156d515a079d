//! The set of sources, and its changes.

use crate::{DuplicateSource, Gateway};
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{Diagnostic, RequestSources, Source, SourceId};

/// Sources with unique ids, in the order they were added. Immutable.
#[derive(Default, Clone)]
pub(crate) struct SourceSet {
    all: Arc<Vec<Arc<dyn Source>>>,
    by_id: HashMap<SourceId, usize>,
}

impl SourceSet {
    pub(crate) fn new(all: Vec<Arc<dyn Source>>) -> Result<Self, DuplicateSource> {
        all.into_iter().try_fold(Self::default(), |sources, value| sources.with(value))
    }

    pub(crate) fn all(&self) -> &Arc<Vec<Arc<dyn Source>>> {
        &self.all
    }

    pub(crate) fn by_id(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.by_id.get(id).map(|at| &self.all[*at])
    }

    /// Whether this very source is present, and not another one with its id.
    pub(crate) fn has(&self, source: &Arc<dyn Source>) -> bool {
        self.by_id(source.id()).is_some_and(|by_id| Arc::ptr_eq(by_id, source))
    }

    /// Adds a source, unless its id is taken.
    pub(crate) fn with(self, source: Arc<dyn Source>) -> Result<Self, DuplicateSource> {
        if self.by_id.contains_key(source.id()) {
            Err(DuplicateSource { id: source.id().clone() })
        } else {
            Ok(self.and(source))
        }
    }

    /// Adds a source. The caller ensures that its id is not taken.
    pub(crate) fn and(mut self, source: Arc<dyn Source>) -> Self {
        self.by_id.insert(source.id().clone(), self.all.len());
        Arc::make_mut(&mut self.all).push(source);
        self
    }

    /// Removes a source; `None` if it is not present.
    pub(crate) fn without(&self, id: &SourceId) -> Option<Self> {
        self.by_id.contains_key(id).then(|| self.only(|other| other != id))
    }

    /// Keeps the sources whose id passes.
    pub(crate) fn only(&self, passes: impl Fn(&SourceId) -> bool) -> Self {
        let all: Vec<_> = self.all.iter().filter(|item| passes(item.id())).cloned().collect();
        let by_id = all.iter().enumerate().map(|(at, item)| (item.id().clone(), at)).collect();
        Self { all: Arc::new(all), by_id }
    }

    /// The same sources, with those that `before` has, by id, first and in its order.
    pub(crate) fn in_order_of(&self, before: &Self) -> Self {
        let kept = before.all.iter().filter_map(|source| self.by_id(source.id()));
        let added = self.all.iter().filter(|source| before.by_id(source.id()).is_none());
        kept.chain(added).cloned().fold(Self::default(), Self::and)
    }

    /// Replaces the source with the same id; `None` if there is none.
    pub(crate) fn replacing(mut self, source: Arc<dyn Source>) -> Option<Self> {
        let at = *self.by_id.get(source.id())?;
        Arc::make_mut(&mut self.all)[at] = source;
        Some(self)
    }
}

impl Gateway {
    /// The sources that all requests share, in the order they were added.
    pub fn sources(&self) -> Arc<Vec<Arc<dyn Source>>> {
        self.catalog().sources.all().clone()
    }

    /// The source of this id, with its library. Code that handles a request should use
    /// [`crate::CatalogView::source`].
    pub fn source(&self, id: &SourceId) -> Option<Arc<dyn Source>> {
        self.catalog().sources.by_id(id).cloned()
    }

    /// The providers of request-specific sources, in the order they were added.
    pub fn request_sources(&self) -> &[Arc<dyn RequestSources>] {
        self.requests.providers()
    }

    /// Diagnostics about absent sources, for example disabled ones, to be shown if nothing is
    /// found.
    pub fn absent(&self) -> Arc<Vec<Diagnostic>> {
        self.absent.load_full()
    }

    /// Sets the diagnostics about absent sources.
    pub fn set_absent(&self, absent: Vec<Diagnostic>) {
        self.absent.store(Arc::new(absent));
    }

    /// Replaces all sources at once. Tools of removed sources disappear immediately; tools of new
    /// sources appear after the next refresh.
    pub fn set_sources(&self, sources: Vec<Arc<dyn Source>>) -> Result<(), DuplicateSource> {
        self.publisher.set_sources(sources)
    }

    /// Adds a source. Its tools appear after a refresh.
    pub fn add_source(&self, source: Arc<dyn Source>) -> Result<(), DuplicateSource> {
        self.publisher.add(source)
    }

    /// Removes a source. Returns whether it existed. Its tools disappear immediately from lists and
    /// searches; running calls continue. Its approvals stay: see [`crate::Approvals::forget`].
    pub fn remove_source(&self, id: &SourceId) -> bool {
        self.publisher.remove(id)
    }

    /// Replaces the source with the same id, for example after its entry was edited. Returns the
    /// old source, or `None` if there was none. Its tools stay until the new source is refreshed;
    /// calls go to the new source immediately.
    pub fn replace_source(&self, source: Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        self.publisher.replace(source)
    }
}
