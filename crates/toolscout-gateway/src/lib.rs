//! Runs the flow: discovers tools from sources, publishes them, searches them, and routes calls
//! back to the source.
//!
//! The gateway takes sources and offers a typed API of plain data; it knows neither which sources
//! exist nor which surface uses it. The two main paths to read are [`Gateway::refresh`] and
//! [`Gateway::call`]; the tools that one request sees are its [`CatalogView`].

#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod lock_file;
pub mod policy;

mod approvals;
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
mod indexed_tools;
mod learning;
mod loading;
mod observed_call;
mod pending_approvals;
mod publish;
mod published;
mod registered;
mod requests;
mod scope;
mod seal;
mod search;
mod search_turns;
mod shadowing;
mod sources;
mod standing;
mod tasks;
mod tool_search;
mod trust;
mod view;
mod watch;

#[cfg(test)]
mod tests;

pub use approvals::{Approvals, QuarantinedTool};
pub use builder::{DuplicateSource, GatewayBuilder};
pub use check::{ArgumentValidator, Violation};
pub use discover::RefreshOutcome;
pub use error::Error;
pub use federation::parse_via;
pub use indexed_tools::IndexedTools;
pub use learning::{FeedbackRecord, Learning};
pub use loading::LoadingMark;
pub use pending_approvals::APPROVAL_LIFETIME;
pub use publish::Reconfiguration;
pub use scope::Scope;
pub use search::{EmbeddedQuery, LazyEncoder, SearchEngine, SearchHit};
pub use tool_search::{Explanation, SearchRequest, SearchResponse};
pub use toolscout_catalog::diff::DefinitionChange;
pub use toolscout_catalog::findings::{Finding, FindingKind, Severity};
pub use toolscout_catalog::{Snapshot, Unresolved};
pub use toolscout_index::{
    Encoder, Language, Query, QueryEmbedding, QueryReading, QueryWordReading, RankingProfile,
    ScoreParts,
};
pub use view::CatalogView;

use arc_swap::ArcSwap;
use consent::UnfinishedApprovals;
use federation::Federation;
use loading::LoadingSources;
use pending_approvals::PendingApprovals;
use publish::CatalogPublisher;
use published::PublishedCatalog;
use requests::RequestCatalogs;
use search_turns::SearchTurns;
use std::sync::Arc;
use toolscout_core::{Diagnostic, Tool};
use watch::LibraryEvents;

/// Sources, their published catalog, and the API to search and call tools. Cloning is cheap, and
/// gives another handle of the same gateway.
#[derive(Clone)]
pub struct Gateway {
    publisher: Arc<CatalogPublisher>,
    requests: Arc<RequestCatalogs>,
    pending_approvals: PendingApprovals,
    unfinished_approvals: Arc<UnfinishedApprovals>,
    federation: Arc<Federation>,
    library_events: Arc<LibraryEvents>,
    learning: Learning,
    loading: Arc<LoadingSources>,
    /// The turns of searches; see [`search_turns::SearchTurns`].
    search_turns: SearchTurns,
    /// Diagnostics about sources that are absent, for example because they are disabled.
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

    /// The tools that all requests see now, without disabled ones; quarantined tools are reduced to
    /// the name and the reason. Never starts anything.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.catalog().shown.clone()
    }

    /// All tools, including disabled ones and the full definitions of quarantined ones: for the
    /// operator who decides about them.
    pub fn full_snapshot(&self) -> Arc<Snapshot> {
        self.catalog().all.clone()
    }

    /// Resolves a name in any form. A disabled tool counts as absent, but the error states that it
    /// is disabled. Covers the tools that all requests share; [`Gateway::find`] includes
    /// request-specific tools, too.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.catalog().resolve(text)
    }
}
