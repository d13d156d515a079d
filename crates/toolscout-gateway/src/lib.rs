//! Runs the flow: asks sources, publishes what they found, searches it, and takes calls back to the source.
//!
//! Takes sources, gives a typed API of plain data; knows neither which sources exist nor who asks. The two roads to read
//! are [`Gateway::refresh`] and [`Gateway::call`]; what one request sees is its [`CatalogView`].

pub mod pins;
pub mod policy;

mod answer;
mod approvals;
mod ask;
mod builder;
mod call;
mod check;
mod consent;
mod decisions;
mod defaults;
mod delegation;
mod discover;
mod embedding;
mod error;
mod federation;
mod learning;
mod observed_call;
mod publish;
mod published;
mod registered;
mod requests;
mod scope;
mod seal;
mod search;
mod shadowing;
mod sources;
mod standing;
mod tasks;
mod trust;
mod view;
mod watch;

#[cfg(test)]
mod tests;

pub use answer::{Explanation, SearchRequest, SearchResponse};
pub use approvals::{Approvals, QuarantinedTool};
pub use ask::PATIENCE;
pub use builder::{DuplicateSource, GatewayBuilder};
pub use check::{ArgumentValidator, Violation};
pub use discover::RefreshOutcome;
pub use error::Error;
pub use federation::via;
pub use learning::{FeedbackRecord, Learning};
pub use scope::Scope;
pub use search::{EmbeddedQuery, LazyEncoder, SearchEngine, SearchHit};
pub use toolscout_catalog::diff::DefinitionChange;
pub use toolscout_catalog::findings::{Finding, FindingKind, Severity};
pub use toolscout_catalog::{Snapshot, Unresolved};
pub use toolscout_index::{
    Encoder, Language, Query, QueryEmbedding, QueryReading, QueryWordReading, RankingProfile, ScoreParts,
};
pub use view::CatalogView;

use arc_swap::ArcSwap;
use ask::PendingApprovals;
use consent::UnfinishedApprovals;
use federation::Federation;
use publish::CatalogPublisher;
use published::PublishedCatalog;
use requests::RequestCatalogs;
use std::sync::Arc;
use toolscout_core::{Diagnostic, Tool};
use watch::LibraryEvents;

/// Sources, what is known of them, and the ways to ask. Cloning is cheap, and gives another handle of the same gateway.
#[derive(Clone)]
pub struct Gateway {
    publisher: Arc<CatalogPublisher>,
    requests: Arc<RequestCatalogs>,
    pending_approvals: PendingApprovals,
    unfinished_approvals: Arc<UnfinishedApprovals>,
    federation: Arc<Federation>,
    library_events: Arc<LibraryEvents>,
    learning: Learning,
    /// What there is to say about sources that could be there and are not.
    absent: Arc<ArcSwap<Vec<Diagnostic>>>,
    /// The scope that this handle is limited to.
    scope: Option<Arc<str>>,
}

impl Gateway {
    /// Collects sources; opens and starts nothing.
    pub fn builder() -> GatewayBuilder {
        GatewayBuilder::default()
    }

    /// The catalog of this handle's scope.
    pub(crate) fn catalog(&self) -> Arc<PublishedCatalog> {
        self.publisher.within(self.scope.as_deref())
    }

    /// What all requests see now, but for what is disabled; of what is held, the name and the reason. Starts nothing, ever.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.catalog().shown.clone()
    }

    /// What is known now, disabled tools too, and held ones with all they say: for who decides about them.
    pub fn whole_snapshot(&self) -> Arc<Snapshot> {
        self.catalog().all.clone()
    }

    /// The tool this text means, in any form of a name. One that is disabled is as good as not there, but that it is
    /// disabled is said. Of what all requests have; [`Gateway::find`] knows one request's own, too.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.catalog().resolve(text)
    }
}
