//! The road of a question: what was learned, the catalog, those who search for themselves; and a note of it for who calls next.

use crate::learning::FeedbackOwner;
use crate::{CatalogView, EmbeddedQuery, Gateway, Query, QueryEmbedding, RankingProfile, SearchHit};
use std::sync::Arc;
use toolscout_core::event::{EventKind, SearchEvent};
use toolscout_core::{Cx, SourceId};
use toolscout_index::{LearnedQueries, QueryReading, ScoreParts};
use tracing::Instrument as _;

/// A question as somebody asks it.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a> {
    /// In their own words; none at all ask for every tool.
    pub text: &'a str,
    /// How to score.
    pub profile: RankingProfile,
    /// At most this many hits: 0 is [`Query::DEFAULT_LIMIT`], and nobody gets more than [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// Only tools of these sources; all where none are named.
    pub sources: Option<&'a [SourceId]>,
    /// By words alone, whatever else there is.
    pub is_lexical: bool,
    /// Somebody is still typing: nobody else is asked or told, and nothing is learned from it.
    pub is_passing: bool,
}

impl<'a> SearchRequest<'a> {
    /// Asks this, with all else as it usually is.
    pub fn new(text: &'a str) -> Self {
        let Query { profile, limit, .. } = Query::new(text);
        Self { text, profile, limit, sources: None, is_lexical: false, is_passing: false }
    }
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResponse {
    /// The tools that fit, best first.
    pub hits: Vec<SearchHit>,
    /// What there is to say about who could not be asked.
    pub notes: Vec<String>,
}

impl SearchResponse {
    /// Hits that are less sure than that are more of a guess.
    pub const WEAK: f64 = 0.3;

    fn to_event(&self, search: &SearchRequest<'_>) -> EventKind {
        EventKind::Search(SearchEvent {
            text: search.text.to_owned(),
            profile: search.profile.word(),
            hits: self.hits.iter().map(|it| (it.tool.id.clone(), it.score)).collect(),
            notes: self.notes.clone(),
        })
    }

    /// Whether nothing was found, or nothing that fits well.
    pub fn is_weak(&self) -> bool {
        self.hits.first().is_none_or(|it| it.score < Self::WEAK)
    }
}

/// Why an answer is as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// How the question was read.
    pub reading: QueryReading,
    /// By hit, what its score is made of; none for what was found elsewhere, or scored otherwise.
    pub parts: Vec<Option<ScoreParts>>,
}

impl Gateway {
    /// The tools that fit, of all that this request can see or have asked; the question is noted for who learns from what is
    /// called next. Cancel-safe.
    pub async fn answer(&self, view: &CatalogView, search: &SearchRequest<'_>, cx: &Cx) -> SearchResponse {
        if search.is_passing {
            return self.found(view, search, cx).await;
        }
        let (cx, pending) = cx.clone().begin_event();
        let answer = self.found(view, search, &cx).instrument(tracing::debug_span!("tool-search")).await;
        pending.finish(|| answer.to_event(search));
        answer
    }

    async fn found(&self, view: &CatalogView, search: &SearchRequest<'_>, cx: &Cx) -> SearchResponse {
        let owner = self.owner(cx);
        let EmbeddedQuery { meaning, notes: mut said } = if search.is_lexical {
            self.read_words(view).await
        } else {
            self.understand(view, &Query { profile: search.profile, ..Query::new(search.text) }).await
        };
        let known = self.known_of(view, meaning, &owner);
        let query = known.query(search);
        let near = view.search(&query);
        if search.is_passing {
            return SearchResponse { hits: near, notes: said };
        }
        let (hits, notes) = self.search_remote(view, &query, near, cx).await;
        self.note_question(&owner, &query, &known.space, &hits);
        said.extend(notes);
        SearchResponse { hits, notes: said }
    }

    /// Why these are the hits of this question.
    pub fn explain(&self, view: &CatalogView, search: &SearchRequest<'_>, hits: &[SearchHit], cx: &Cx) -> Explanation {
        let meaning = view.catalog.engine.meaning(search.text).filter(|_| !search.is_lexical);
        let known = self.known_of(view, meaning, &self.owner(cx));
        let query = known.query(search);
        let reading = view.reading(search.text);
        let parts = match search.profile {
            RankingProfile::Ranked => {
                view.catalog.parts(&query, &hits.iter().map(|it| &it.tool.id).collect::<Vec<_>>())
            }
            _ => vec![None; hits.len()],
        };
        Explanation { reading, parts }
    }

    fn known_of(
        &self,
        view: &CatalogView,
        meaning: Option<Arc<QueryEmbedding>>,
        owner: &FeedbackOwner,
    ) -> SearchContext {
        let space = meaning.as_ref().and_then(|_| view.catalog.engine.encoder_id()).unwrap_or_default().to_owned();
        SearchContext { learned: self.learned(owner, &space), meaning, space }
    }
}

impl CatalogView {
    /// How a question is read by who knows these tools.
    pub fn reading(&self, text: &str) -> QueryReading {
        self.catalog.reading(text)
    }
}

/// What a question is answered with, besides the tools.
struct SearchContext {
    /// What the words mean; none where they alone decide.
    meaning: Option<Arc<QueryEmbedding>>,
    learned: Option<Arc<LearnedQueries>>,
    /// Names who says what words mean.
    space: String,
}

impl SearchContext {
    fn query<'a>(&'a self, search: &SearchRequest<'a>) -> Query<'a> {
        let SearchRequest { text, profile, limit, sources, .. } = *search;
        Query {
            profile,
            limit,
            sources,
            meaning: self.meaning.as_deref(),
            learned: self.learned.as_deref(),
            ..Query::new(text)
        }
    }
}
