//! Builds a gateway.

use crate::consent::UnfinishedApprovals;
use crate::federation::Federation;
use crate::pending_approvals::PendingApprovals;
use crate::policy::Policies;
use crate::publish::CatalogPublisher;
use crate::requests::{RequestCacheLimits, RequestCatalogs};
use crate::search::SearchEngine;
use crate::search_turns::SearchTurns;
use crate::sources::SourceSet;
use crate::watch::LibraryEvents;
use crate::{Approvals, Gateway, Learning};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Layer, RequestSources, Source, SourceId};

/// Collects sources and rules; [`GatewayBuilder::build`] checks them and opens nothing.
#[derive(Default)]
pub struct GatewayBuilder {
    sources: Vec<Arc<dyn Source>>,
    request_sources: Vec<Arc<dyn RequestSources>>,
    cache_limits: RequestCacheLimits,
    policies: Policies,
    approvals: Option<Approvals>,
    search_engine: SearchEngine,
    learning: Learning,
}

impl GatewayBuilder {
    /// Adds a source.
    pub fn source(mut self, source: Arc<dyn Source>) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds a source inside a layer.
    pub fn layered(self, source: Arc<dyn Source>, layer: impl Layer) -> Self {
        self.source(layer.layer(source))
    }

    /// Adds request-specific sources. If several of them provide a tool of the same name, the one
    /// added first wins.
    pub fn request_sources(mut self, sources: Arc<dyn RequestSources>) -> Self {
        self.request_sources.push(sources);
        self
    }

    /// Limits the cache of request-specific catalogs: the number of entries and the time each entry
    /// is valid. The default is 64 entries and one minute.
    pub fn cache_views(mut self, entries: usize, time: Duration) -> Self {
        self.cache_limits = RequestCacheLimits { entries, time };
        self
    }

    /// Sets the policies; without them, every tool is allowed.
    pub fn policies(self, policies: Policies) -> Self {
        Self { policies, ..self }
    }

    /// Sets the storage for definition approvals and pending approvals; without it, they last as
    /// long as the process.
    pub fn approvals(self, approvals: Approvals) -> Self {
        Self { approvals: Some(approvals), ..self }
    }

    /// Sets the search engine. The default searches by words alone and stores nothing between
    /// processes.
    pub fn search_engine(self, search_engine: SearchEngine) -> Self {
        Self { search_engine, ..self }
    }

    /// Sets the storage for relevance feedback; without it, nothing is learned.
    pub fn learning(self, learning: Learning) -> Self {
        Self { learning, ..self }
    }

    /// Builds the gateway with an empty catalog.
    pub fn build(self) -> Result<Gateway, DuplicateSource> {
        let sources = SourceSet::new(self.sources)?;
        let approvals = self.approvals.unwrap_or_else(Approvals::in_memory);
        let pending_approvals = PendingApprovals::sharing_store_of(&approvals);
        Ok(Gateway {
            pending_approvals,
            unfinished_approvals: Arc::new(UnfinishedApprovals::default()),
            federation: Arc::new(Federation::default()),
            publisher: Arc::new(CatalogPublisher::new(
                approvals,
                self.policies,
                sources,
                self.search_engine,
            )),
            requests: Arc::new(RequestCatalogs::new(self.request_sources, self.cache_limits)),
            library_events: Arc::new(LibraryEvents::default()),
            learning: self.learning,
            loading: Arc::default(),
            search_turns: SearchTurns::default(),
            absent: Default::default(),
            scope: None,
        })
    }
}

/// Two sources have the same id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two sources have the id `{id}`; change one of them")]
pub struct DuplicateSource {
    /// The duplicate id.
    pub id: SourceId,
}
