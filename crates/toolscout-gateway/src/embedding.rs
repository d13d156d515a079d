//! Embeds queries and tools: before a search, and in the background.
//!
//! A search has two steps: [`Gateway::embed_query`] may wait, because it builds the index and
//! embeds the query; [`CatalogView::search`] compares and does not wait. Scores are calibrated: the
//! confidence that a tool is the intended one, from 0 to 1, independent of the other tools. So hits
//! of several indexes, of this gateway and of others, become one list by their scores.

mod run;

use crate::published::PublishedCatalog;
use crate::search::{BuiltIndex, EmbeddedQuery, SearchEngine, SearchHit};
use crate::tasks::run_blocking;
use crate::{CatalogView, Gateway, Query, RankingProfile};
use run::embed_during_search;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::escape;
use toolscout_index::QueryEmbedding;

/// How long a search embeds tools that have no embedding yet, if no background worker does that.
const SEARCH_BUDGET: Duration = Duration::from_millis(300);
/// The same for request-specific tools: the next search continues where this one stopped.
const REQUEST_BUDGET: Duration = Duration::from_millis(100);

impl Gateway {
    /// The best matching tools, best first. Disabled and quarantined tools are left out, which
    /// [`Gateway::notes`] reports. Searches the tools that all requests share; request-specific
    /// tools are in [`crate::CatalogView`]. Starts nothing.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.catalog().search(query)
    }

    /// Embeds the query, and builds the index if this is the first search. A repeated query does
    /// not wait. If no background worker [embeds tools](Gateway::embed_in_background), also embeds
    /// some tools, for a short time.
    ///
    /// Cancel-safe: work in progress is finished, and its result is available to the next search.
    pub async fn embed_query(&self, view: &CatalogView, query: &Query<'_>) -> EmbeddedQuery {
        let catalog = &view.catalog;
        let is_by_meaning =
            matches!(query.profile, RankingProfile::Ranked | RankingProfile::Meaning)
                && !query.text.trim().is_empty();
        let encoder =
            catalog.engine.lazy_encoder().filter(|_| is_by_meaning && !catalog.shown.is_empty());
        let Some(encoder) = encoder else {
            return self.prepare_lexical_search(view).await;
        };
        let (_, embedding) =
            tokio::join!(prepare_index(catalog, true), self.embed_text(query.text));
        let mut notes = catalog.missing_embeddings_note();
        if let Some(reason) = encoder.failure() {
            notes = vec![format!("keyword search only: {}", escape::line(reason))];
        }
        EmbeddedQuery { embedding, notes }
    }

    /// The embedding of a text; `None` if there is no encoder. Callers that know a query in advance
    /// can start this early.
    pub async fn embed_text(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        let engine = self.publisher.now().engine.clone();
        engine.lazy_encoder()?;
        if let Some(embedding) = engine.cached_embedding(text) {
            return Some(embedding);
        }
        let text = text.to_owned();
        run_blocking(move || engine.embed_query(&text)).await.flatten()
    }

    /// As [`Gateway::embed_query`], for a lexical search.
    pub async fn prepare_lexical_search(&self, view: &CatalogView) -> EmbeddedQuery {
        prepare_index(&view.catalog, false).await;
        EmbeddedQuery::default()
    }

    /// A search engine for another gateway that serves a part of this one's tools.
    pub fn shared_search_engine(&self) -> SearchEngine {
        SearchEngine::sharing_caches_of(&self.publisher.now().engine)
    }
}

async fn prepare_index(catalog: &Arc<PublishedCatalog>, is_by_meaning: bool) {
    let is_ready = |catalog: &PublishedCatalog| {
        catalog
            .built_index()
            .is_some_and(|built| !is_by_meaning || embedding_budget(catalog, &built).is_none())
    };
    if is_ready(catalog) && catalog.shared.as_ref().is_none_or(|shared| is_ready(shared)) {
        return;
    }
    let catalog = catalog.clone();
    let work = move || {
        for part in catalog.shared.iter().chain([&catalog]).map(PublishedCatalog::index_owner) {
            let built = part.ensure_index();
            if let Some(time) = embedding_budget(part, &built).filter(|_| is_by_meaning) {
                embed_during_search(part, time);
            }
        }
    };
    run_blocking(work).await;
}

/// How long a search of this catalog may embed tools; `None` if all tools have embeddings, or a
/// background worker embeds them.
fn embedding_budget(catalog: &PublishedCatalog, built: &BuiltIndex) -> Option<Duration> {
    let is_of_request = catalog.shared.is_some();
    let is_left_to_workers = !is_of_request && catalog.engine.has_workers();
    let time = if is_of_request { REQUEST_BUDGET } else { SEARCH_BUDGET };
    (built.missing > 0 && !is_left_to_workers).then_some(time)
}
