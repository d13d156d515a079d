//! Embeds queries and tools: before a search, and in the background.
//!
//! A search has two steps: [`Gateway::understand`] may wait, because it builds the index and embeds the query;
//! [`CatalogView::search`] compares and does not wait. Scores are calibrated: the confidence that a tool is meant, from 0 to 1,
//! whatever else there is. So hits of several indexes, of this gateway and of others, become one list by their scores.

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

/// So long a search encodes tools that are not known by meaning yet, where nobody does that in the background.
const PATIENCE: Duration = Duration::from_millis(300);
/// The same for what is of one request only: the next search goes on where this one stopped.
const SHORT_PATIENCE: Duration = Duration::from_millis(100);

impl Gateway {
    /// The best fitting tools, best first; neither disabled ones nor those held for review are there, and
    /// [`Gateway::notes`] says so. Of what all requests have; one request's own is in its [`crate::CatalogView`]. Starts nothing.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.catalog().search(query)
    }

    /// Finds out what the question means, while the index is made if nobody has searched yet. Who asked the same before waits for
    /// nothing. Where nobody [studies](Gateway::study) in the background, also finds out about some tools, for a short time.
    ///
    /// Cancel-safe: what was begun is done, and there for the next one who asks.
    pub async fn understand(&self, view: &CatalogView, query: &Query<'_>) -> EmbeddedQuery {
        let catalog = &view.catalog;
        let is_by_meaning =
            matches!(query.profile, RankingProfile::Ranked | RankingProfile::Meaning) && !query.text.trim().is_empty();
        let encoder = catalog.engine.lazy_encoder().filter(|_| is_by_meaning && !catalog.shown.is_empty());
        let Some(encoder) = encoder else {
            return self.read_words(view).await;
        };
        let (_, meaning) = tokio::join!(prepared(catalog, true), self.meaning(query.text));
        let mut notes = catalog.unknown_by_meaning();
        if let Some(why) = encoder.failure() {
            notes = vec![format!("words alone decided: {}", escape::line(why))];
        }
        EmbeddedQuery { meaning, notes }
    }

    /// What a text means; none where there is no encoder. To be begun early by who knows that it will be asked.
    pub async fn meaning(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        let engine = self.publisher.now().engine.clone();
        engine.lazy_encoder()?;
        if let Some(meaning) = engine.meaning(text) {
            return Some(meaning);
        }
        let text = text.to_owned();
        run_blocking(move || engine.find_meaning(&text)).await.flatten()
    }

    /// As [`Gateway::understand`], for who asks by words alone.
    pub async fn read_words(&self, view: &CatalogView) -> EmbeddedQuery {
        prepared(&view.catalog, false).await;
        EmbeddedQuery::default()
    }

    /// How to search for another gateway that shows a part of what this one knows.
    pub fn searching_beside(&self) -> SearchEngine {
        SearchEngine::beside(&self.publisher.now().engine)
    }
}

async fn prepared(catalog: &Arc<PublishedCatalog>, is_by_meaning: bool) {
    let is_ready =
        |it: &PublishedCatalog| it.indexed().is_some_and(|made| !is_by_meaning || patience(it, &made).is_none());
    if is_ready(catalog) && catalog.beneath.as_ref().is_none_or(|it| is_ready(it)) {
        return;
    }
    let catalog = catalog.clone();
    let work = move || {
        for part in catalog.beneath.iter().chain([&catalog]).map(PublishedCatalog::index_owner) {
            let made = part.made();
            if let Some(time) = patience(part, &made).filter(|_| is_by_meaning) {
                embed_during_search(part, time);
            }
        }
    };
    run_blocking(work).await;
}

/// How long a search of this catalog may study; none where there is nothing to find out, or others do it.
fn patience(catalog: &PublishedCatalog, made: &BuiltIndex) -> Option<Duration> {
    let is_of_request = catalog.beneath.is_some();
    let is_left_to_others = !is_of_request && catalog.engine.has_workers();
    let time = if is_of_request { SHORT_PATIENCE } else { PATIENCE };
    (made.missing > 0 && !is_left_to_others).then_some(time)
}
