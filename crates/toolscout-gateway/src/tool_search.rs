//! Runs a search: relevance feedback, the catalog, and remote gateways. Records the search, so that
//! the next call can be attributed to it.

use crate::learning::FeedbackOwner;
use crate::{
    CatalogView, EmbeddedQuery, Gateway, Query, QueryEmbedding, RankingProfile, SearchHit,
    registered,
};
use std::sync::Arc;
use toolscout_core::event::{EventKind, SearchEvent};
use toolscout_core::{Cx, SourceId};
use toolscout_index::{LearnedQueries, QueryReading, ScoreParts};
use tracing::Instrument as _;

/// A search as the client sends it.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The query in the client's own words. An empty query matches every tool.
    pub text: &'a str,
    /// The scoring method.
    pub profile: RankingProfile,
    /// Maximum number of hits: 0 selects [`Query::DEFAULT_LIMIT`], and [`Query::MAX_LIMIT`] is the
    /// upper bound.
    pub limit: usize,
    /// Restricts the search to tools of these sources; `None` searches all sources.
    pub sources: Option<&'a [SourceId]>,
    /// Searches by words alone, even if embeddings are available.
    pub is_lexical: bool,
    /// The user is still typing: the gateway queries no remote gateway, emits no event, and learns
    /// nothing from the search.
    pub is_passing: bool,
}

impl<'a> SearchRequest<'a> {
    /// A search for `text` with default settings.
    pub fn new(text: &'a str) -> Self {
        let Query { profile, limit, .. } = Query::new(text);
        Self { text, profile, limit, sources: None, is_lexical: false, is_passing: false }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResponse {
    /// The matching tools, best first.
    pub hits: Vec<SearchHit>,
    /// Notes for the user, for example about sources that could not be queried.
    pub notes: Vec<String>,
}

impl SearchResponse {
    /// Hits with a score below this value count as weak.
    pub const WEAK: f64 = 0.3;

    fn to_event(&self, search: &SearchRequest<'_>) -> EventKind {
        EventKind::Search(SearchEvent {
            text: search.text.to_owned(),
            profile: search.profile.as_str(),
            hits: self.hits.iter().map(|hit| (hit.tool.id.clone(), hit.score)).collect(),
            notes: self.notes.clone(),
        })
    }

    /// Whether the search found nothing, or nothing with a good score.
    pub fn is_weak(&self) -> bool {
        self.hits.first().is_none_or(|hit| hit.score < Self::WEAK)
    }
}

/// The reasons for the ranking of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// The interpretation of the query.
    pub reading: QueryReading,
    /// The score components of each hit; `None` for hits of remote gateways and for other ranking
    /// profiles.
    pub parts: Vec<Option<ScoreParts>>,
}

impl Gateway {
    /// Searches all tools that this request can see, including those of remote gateways. Records
    /// the search for relevance feedback. Cancel-safe.
    pub async fn tool_search(
        &self,
        view: &CatalogView,
        search: &SearchRequest<'_>,
        cx: &Cx,
    ) -> SearchResponse {
        if search.is_passing {
            return self.run_search(view, search, cx).await;
        }
        let (cx, pending) = cx.clone().start_event();
        registered::log_search(&view.snapshot());
        let response = self
            .run_search(view, search, &cx)
            .instrument(tracing::debug_span!("tool-search"))
            .await;
        pending.finish(|| response.to_event(search));
        response
    }

    async fn run_search(
        &self,
        view: &CatalogView,
        search: &SearchRequest<'_>,
        cx: &Cx,
    ) -> SearchResponse {
        let owner = self.owner(cx);
        let turn = self.search_turns.take(cx).await;
        let EmbeddedQuery { embedding, mut notes } = if search.is_lexical {
            self.prepare_lexical_search(view).await
        } else {
            self.embed_query(view, &Query { profile: search.profile, ..Query::new(search.text) })
                .await
        };
        let context = Arc::new(self.search_context(view, embedding, &owner));
        let local_search = LocalSearch::new(view, search, context.clone());
        let local_hits = turn.run(move || local_search.run()).await.unwrap_or_default();
        let query = context.query(search);
        if search.is_passing {
            return SearchResponse { hits: local_hits, notes };
        }
        let (hits, remote_notes) = self.search_remote(view, &query, local_hits, cx).await;
        self.record_search(&owner, &query, &context.space, &hits);
        notes.extend(remote_notes);
        SearchResponse { hits, notes }
    }

    /// Explains why the search returned these hits.
    pub fn explain(
        &self,
        view: &CatalogView,
        search: &SearchRequest<'_>,
        hits: &[SearchHit],
        cx: &Cx,
    ) -> Explanation {
        let embedding =
            view.catalog.engine.cached_embedding(search.text).filter(|_| !search.is_lexical);
        let context = self.search_context(view, embedding, &self.owner(cx));
        let query = context.query(search);
        let reading = view.reading(search.text);
        let parts = match search.profile {
            RankingProfile::Ranked => {
                view.catalog.parts(&query, &hits.iter().map(|hit| &hit.tool.id).collect::<Vec<_>>())
            }
            _ => vec![None; hits.len()],
        };
        Explanation { reading, parts }
    }

    fn search_context(
        &self,
        view: &CatalogView,
        embedding: Option<Arc<QueryEmbedding>>,
        owner: &FeedbackOwner,
    ) -> SearchContext {
        let space = embedding
            .as_ref()
            .and_then(|_| view.catalog.engine.encoder_id())
            .unwrap_or_default()
            .to_owned();
        SearchContext { learned: self.learned(owner, &space), embedding, space }
    }
}

impl CatalogView {
    /// The interpretation of a query, given the tools of this view.
    pub fn reading(&self, text: &str) -> QueryReading {
        self.catalog.reading(text)
    }
}

/// A search of the catalog that owns its inputs, so that it can run on another thread.
struct LocalSearch {
    view: CatalogView,
    context: Arc<SearchContext>,
    text: String,
    sources: Option<Vec<SourceId>>,
    profile: RankingProfile,
    limit: usize,
}

impl LocalSearch {
    fn new(view: &CatalogView, search: &SearchRequest<'_>, context: Arc<SearchContext>) -> Self {
        let SearchRequest { text, profile, limit, sources, .. } = *search;
        let (text, sources) = (text.to_owned(), sources.map(<[SourceId]>::to_vec));
        Self { view: view.clone(), context, text, sources, profile, limit }
    }

    fn run(&self) -> Vec<SearchHit> {
        let (profile, limit, sources) = (self.profile, self.limit, self.sources.as_deref());
        let search = SearchRequest { profile, limit, sources, ..SearchRequest::new(&self.text) };
        self.view.search(&self.context.query(&search))
    }
}

/// The inputs to a search other than the tools.
struct SearchContext {
    /// The embedding of the query; `None` for a purely lexical search.
    embedding: Option<Arc<QueryEmbedding>>,
    learned: Option<Arc<LearnedQueries>>,
    /// The id of the encoder, which names its vector space; empty without an embedding.
    space: String,
}

impl SearchContext {
    fn query<'a>(&'a self, search: &SearchRequest<'a>) -> Query<'a> {
        let SearchRequest { text, profile, limit, sources, .. } = *search;
        Query {
            profile,
            limit,
            sources,
            embedding: self.embedding.as_deref(),
            learned: self.learned.as_deref(),
            ..Query::new(text)
        }
    }
}
