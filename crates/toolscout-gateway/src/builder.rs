//! Puts a gateway together.

use crate::ask::PendingApprovals;
use crate::consent::UnfinishedApprovals;
use crate::federation::Federation;
use crate::policy::Policies;
use crate::publish::CatalogPublisher;
use crate::requests::{RequestCacheLimits, RequestCatalogs};
use crate::search::SearchEngine;
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
    keeping: RequestCacheLimits,
    policies: Policies,
    approvals: Option<Approvals>,
    searching: SearchEngine,
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

    /// Adds sources that each request has for itself. Where several give tools of one name, who was added first answers.
    pub fn request_sources(mut self, sources: Arc<dyn RequestSources>) -> Self {
        self.request_sources.push(sources);
        self
    }

    /// For how many users, tenants or whoever requests are of their own tools are remembered, and for how long: 64 of them,
    /// a minute, unless said otherwise.
    pub fn keep_views(mut self, entries: usize, time: Duration) -> Self {
        self.keeping = RequestCacheLimits { entries, time };
        self
    }

    /// Says what holds for each tool; everything is allowed otherwise.
    pub fn policies(self, policies: Policies) -> Self {
        Self { policies, ..self }
    }

    /// Where it is remembered what may be used, and what was asked; otherwise that ends with the process.
    pub fn approvals(self, approvals: Approvals) -> Self {
        Self { approvals: Some(approvals), ..self }
    }

    /// Says how tools are searched; by words alone otherwise, and anew in each process.
    pub fn searching(self, searching: SearchEngine) -> Self {
        Self { searching, ..self }
    }

    /// Where it is remembered what was called after which question; otherwise nothing is learned.
    pub fn learning(self, learning: Learning) -> Self {
        Self { learning, ..self }
    }

    /// The gateway, knowing nothing yet.
    pub fn build(self) -> Result<Gateway, DuplicateSource> {
        let sources = SourceSet::of(self.sources)?;
        let approvals = self.approvals.unwrap_or_else(Approvals::in_memory);
        let pending_approvals = PendingApprovals::beside(&approvals);
        Ok(Gateway {
            pending_approvals,
            unfinished_approvals: Arc::new(UnfinishedApprovals::default()),
            federation: Arc::new(Federation::default()),
            publisher: Arc::new(CatalogPublisher::new(approvals, self.policies, sources, self.searching)),
            requests: Arc::new(RequestCatalogs::new(self.request_sources, self.keeping)),
            library_events: Arc::new(LibraryEvents::default()),
            learning: self.learning,
            absent: Default::default(),
            scope: None,
        })
    }
}

/// Two sources want the same id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two sources are named `{id}`; give one of them another id")]
pub struct DuplicateSource {
    /// The id.
    pub id: SourceId,
}
