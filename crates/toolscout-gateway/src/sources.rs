//! The sources of one moment, and how they come and go.

use crate::{DuplicateSource, Gateway};
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{Diagnostic, RequestSources, Source, SourceId};

/// Sources, each of its own id, in the order they were added. Never changed, only replaced.
#[derive(Default, Clone)]
pub(crate) struct SourceSet {
    all: Arc<Vec<Arc<dyn Source>>>,
    by_id: HashMap<SourceId, usize>,
}

impl SourceSet {
    pub(crate) fn of(all: Vec<Arc<dyn Source>>) -> Result<Self, DuplicateSource> {
        all.into_iter().try_fold(Self::default(), |sources, it| sources.with(it))
    }

    pub(crate) fn all(&self) -> &Arc<Vec<Arc<dyn Source>>> {
        &self.all
    }

    pub(crate) fn by_id(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.by_id.get(id).map(|at| &self.all[*at])
    }

    /// Whether this very source is there, and not another of its id.
    pub(crate) fn has(&self, source: &Arc<dyn Source>) -> bool {
        self.by_id(source.id()).is_some_and(|it| Arc::ptr_eq(it, source))
    }

    /// These, and one more, if nobody has its id.
    pub(crate) fn with(self, source: Arc<dyn Source>) -> Result<Self, DuplicateSource> {
        if self.by_id.contains_key(source.id()) {
            Err(DuplicateSource { id: source.id().clone() })
        } else {
            Ok(self.and(source))
        }
    }

    /// These, and one more; for who knows that nobody has its id.
    pub(crate) fn and(mut self, source: Arc<dyn Source>) -> Self {
        self.by_id.insert(source.id().clone(), self.all.len());
        Arc::make_mut(&mut self.all).push(source);
        self
    }

    /// These, without that one; none where it is not there.
    pub(crate) fn without(&self, id: &SourceId) -> Option<Self> {
        self.by_id.contains_key(id).then(|| self.only(|other| other != id))
    }

    /// Those whose id passes.
    pub(crate) fn only(&self, passes: impl Fn(&SourceId) -> bool) -> Self {
        let all: Vec<_> = self.all.iter().filter(|it| passes(it.id())).cloned().collect();
        let by_id = all.iter().enumerate().map(|(at, it)| (it.id().clone(), at)).collect();
        Self { all: Arc::new(all), by_id }
    }

    /// These, with this one in the place of the one of its id; none where there is no such one.
    pub(crate) fn replacing(mut self, source: Arc<dyn Source>) -> Option<Self> {
        let at = *self.by_id.get(source.id())?;
        Arc::make_mut(&mut self.all)[at] = source;
        Some(self)
    }
}

impl Gateway {
    /// The sources that all requests have, in the order they were added.
    pub fn sources(&self) -> Arc<Vec<Arc<dyn Source>>> {
        self.catalog().sources.all().clone()
    }

    /// The source of this id, and with it its library. Who asks on behalf of a request wants [`crate::CatalogView::source`].
    pub fn source(&self, id: &SourceId) -> Option<Arc<dyn Source>> {
        self.catalog().sources.by_id(id).cloned()
    }

    /// Who gives sources to single requests, in the order they were added.
    pub fn request_sources(&self) -> &[Arc<dyn RequestSources>] {
        self.requests.providers()
    }

    /// What there is to say about sources that could be there and are not, as when somebody has turned them off: for who
    /// finds nothing.
    pub fn absent(&self) -> Arc<Vec<Diagnostic>> {
        self.absent.load_full()
    }

    /// Has this said about sources that are not there.
    pub fn set_absent(&self, absent: Vec<Diagnostic>) {
        self.absent.store(Arc::new(absent));
    }

    /// Replaces all sources at once. What is gone is gone at once; what is new is known after the next refresh.
    pub fn set_sources(&self, sources: Vec<Arc<dyn Source>>) -> Result<(), DuplicateSource> {
        self.publisher.set_sources(sources)
    }

    /// One more source. Nothing is known of it before it is refreshed.
    pub fn add_source(&self, source: Arc<dyn Source>) -> Result<(), DuplicateSource> {
        self.publisher.add(source)
    }

    /// Lets go of a source; says whether there was one. Its tools are gone at once, from lists and from search; calls that
    /// are under way go on. What was approved of it stays approved: see [`crate::Approvals::forget`].
    pub fn remove_source(&self, id: &SourceId) -> bool {
        self.publisher.remove(id)
    }

    /// Another source under the same id, as after its entry was edited; gives the old one, or says that there is none.
    /// What is known stays until the new one is refreshed; calls go to the new one at once.
    pub fn replace_source(&self, source: Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        self.publisher.replace(source)
    }
}
