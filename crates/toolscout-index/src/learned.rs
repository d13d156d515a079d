//! Relevance feedback: tools that were called after similar queries rank higher.

use crate::Language;
use crate::stems::Stems;
use crate::vectors::Vector;
use crate::{Index, QueryEmbedding, words};
use hashbrown::HashMap;
use toolscout_core::ToolId;

/// Queries that were followed by a successful call. Only calls by users and agents add to it; the
/// text of a tool cannot.
#[derive(Default, Clone)]
pub struct LearnedQueries {
    feedback: Vec<LearnedQuery>,
    /// By term, the queries that contain it, and its weight in each.
    terms: HashMap<String, Vec<(u32, f32)>>,
}

/// One query, and the tool that was called after it.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedQuery {
    /// The called tool.
    pub tool: ToolId,
    /// The text of the query.
    pub query: String,
    /// Its embedding, if there is an encoder.
    pub embedding: Option<Vector>,
}

/// Contribution of feedback for an identical query: more than lexical and semantic scores can
/// reach.
const MAX_CONTRIBUTION: f32 = 2.0;
/// Similarity of the nearest query below which feedback does not count; from `FULL_SIMILARITY` on
/// it counts fully.
const MIN_SIMILARITY: f32 = 0.3;
const FULL_SIMILARITY: f32 = 0.6;
/// Number of nearest queries that vote, and how fast a vote decreases with distance.
const MAX_NEIGHBORS: usize = 40;
const DISTANCE_DECAY: f32 = 15.0;
/// Share of words in the similarity of two queries, if both have embeddings.
const LEXICAL_SHARE: f32 = 0.35;

impl LearnedQueries {
    /// Builds the lookup tables.
    pub fn new(feedback: Vec<LearnedQuery>) -> Self {
        let mut by_term: HashMap<String, Vec<u32>> = HashMap::new();
        let stems = Stems::new(Language::English);
        for (at, record) in (0..).zip(&feedback) {
            for term in terms(&record.query, &stems) {
                by_term.entry(term).or_default().push(at);
            }
        }
        let rarity = |containing: usize| rarity(containing, feedback.len());
        let mut lengths = vec![0.0_f32; feedback.len()];
        for containing in by_term.values() {
            containing
                .iter()
                .for_each(|at| lengths[*at as usize] += rarity(containing.len()).powi(2));
        }
        let weigh = |(term, containing): (String, Vec<u32>)| {
            let weight = rarity(containing.len());
            (
                term,
                containing
                    .into_iter()
                    .map(|at| (at, weight / lengths[at as usize].sqrt()))
                    .collect(),
            )
        };
        let terms = by_term.into_iter().map(weigh).collect();
        Self { feedback, terms }
    }

    /// Whether there is no feedback.
    pub fn is_empty(&self) -> bool {
        self.feedback.is_empty()
    }

    /// The contribution to each tool for this query.
    pub(crate) fn feedback(
        &self,
        index: &Index,
        text: &str,
        embedding: Option<&QueryEmbedding>,
    ) -> Vec<(u32, f32)> {
        let mut neighbors: Vec<(f32, u32)> =
            self.similarities_to(text, embedding).into_iter().zip(0..).collect();
        let most_similar_first = |one: &(f32, u32), other: &(f32, u32)| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
        };
        if neighbors.len() > MAX_NEIGHBORS {
            neighbors.select_nth_unstable_by(MAX_NEIGHBORS, most_similar_first);
            neighbors.truncate(MAX_NEIGHBORS);
        }
        neighbors.sort_unstable_by(most_similar_first);
        let Some((best, _)) = neighbors.first().copied().filter(|value| value.0 > MIN_SIMILARITY)
        else {
            return Vec::new();
        };
        let mut votes: Vec<(u32, f32)> = Vec::new();
        for (similarity, at) in neighbors {
            let Some(tool) = index.tools.position_of(&self.feedback[at as usize].tool) else {
                continue;
            };
            let vote = (DISTANCE_DECAY * (similarity - best)).exp();
            match votes.iter_mut().find(|item| item.0 == tool) {
                Some(known) => known.1 += vote,
                None => votes.push((tool, vote)),
            }
        }
        let all: f32 = votes.iter().map(|item| item.1).sum();
        let weight = MAX_CONTRIBUTION
            * ((best - MIN_SIMILARITY) / (FULL_SIMILARITY - MIN_SIMILARITY)).min(1.0);
        votes
            .into_iter()
            .map(|(tool, vote)| (tool, weight * vote / all))
            .filter(|item| item.1 > 0.01)
            .collect()
    }

    /// The similarity of the query to each earlier one: by embeddings and by words, as far as
    /// available.
    fn similarities_to(&self, text: &str, embedding: Option<&QueryEmbedding>) -> Vec<f32> {
        let mut similarities = vec![0.0_f32; self.feedback.len()];
        let matching_terms: Vec<_> = terms(text, &Stems::new(Language::English))
            .iter()
            .filter_map(|term| self.terms.get(term))
            .collect();
        let rarity = |containing: &[(u32, f32)]| rarity(containing.len(), self.feedback.len());
        let length = matching_terms
            .iter()
            .map(|item| rarity(item).powi(2))
            .sum::<f32>()
            .sqrt()
            .max(f32::MIN_POSITIVE);
        for containing in matching_terms {
            let weight = rarity(containing) / length;
            containing
                .iter()
                .for_each(|(at, theirs)| similarities[*at as usize] += weight * theirs);
        }
        let vector = embedding.map(QueryEmbedding::vector);
        for (similarities, record) in similarities.iter_mut().zip(&self.feedback) {
            if let (Some(one), Some(other)) = (&vector, &record.embedding) {
                *similarities =
                    LEXICAL_SHARE * *similarities + (1.0 - LEXICAL_SHARE) * one.similarity(other);
            }
        }
        similarities
    }
}

impl std::fmt::Debug for LearnedQueries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LearnedQueries")
            .field("feedback", &self.feedback.len())
            .finish_non_exhaustive()
    }
}

/// The weight of a term that this many of all queries contain.
fn rarity(containing: usize, all: usize) -> f32 {
    (1.0 + all as f32 / (containing as f32 + 0.5)).ln()
}

/// The distinct terms of a query. Queries are compared with queries, so the language of the tools
/// does not matter.
fn terms(query: &str, stems: &Stems) -> Vec<String> {
    let mut all = Vec::new();
    words::for_each(query, |word| all.extend(stems.term(word).map(|term| term.into_owned())));
    all.sort_unstable();
    all.dedup();
    all
}
