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
    lessons: Vec<LearnedQuery>,
    /// By term, the queries that contain it, and its weight in each.
    terms: HashMap<String, Vec<(u32, f32)>>,
}

/// One query, and the tool that was called after it.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedQuery {
    /// The called tool.
    pub tool: ToolId,
    /// The text of the query.
    pub question: String,
    /// Its embedding, if there is an encoder.
    pub meaning: Option<Vector>,
}

/// Contribution of feedback for an identical query: more than lexical and semantic scores can
/// reach.
const MOST: f32 = 2.0;
/// Similarity of the nearest query below which feedback does not count; from `SURE` on it counts
/// fully.
const ALIKE: f32 = 0.3;
const SURE: f32 = 0.6;
/// Number of nearest queries that vote, and how fast a vote decreases with distance.
const NEIGHBOURS: usize = 40;
const NEARER: f32 = 15.0;
/// Share of words in the similarity of two queries, if both have embeddings.
const OF_WORDS: f32 = 0.35;

impl LearnedQueries {
    /// Builds the lookup tables.
    pub fn of(lessons: Vec<LearnedQuery>) -> Self {
        let mut counted: HashMap<String, Vec<u32>> = HashMap::new();
        let stems = Stems::of(Language::English);
        for (at, lesson) in (0..).zip(&lessons) {
            for term in terms(&lesson.question, &stems) {
                counted.entry(term).or_default().push(at);
            }
        }
        let rarity = |having: usize| rarity(having, lessons.len());
        let mut lengths = vec![0.0_f32; lessons.len()];
        for having in counted.values() {
            having.iter().for_each(|at| lengths[*at as usize] += rarity(having.len()).powi(2));
        }
        let weigh = |(term, having): (String, Vec<u32>)| {
            let weight = rarity(having.len());
            (
                term,
                having.into_iter().map(|at| (at, weight / lengths[at as usize].sqrt())).collect(),
            )
        };
        let terms = counted.into_iter().map(weigh).collect();
        Self { lessons, terms }
    }

    /// Whether there is no feedback.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// The contribution to each tool for this query.
    pub(crate) fn lessons(
        &self,
        index: &Index,
        text: &str,
        meaning: Option<&QueryEmbedding>,
    ) -> Vec<(u32, f32)> {
        let mut near: Vec<(f32, u32)> =
            self.likenesses(text, meaning).into_iter().zip(0..).collect();
        let nearest_first = |one: &(f32, u32), other: &(f32, u32)| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
        };
        if near.len() > NEIGHBOURS {
            near.select_nth_unstable_by(NEIGHBOURS, nearest_first);
            near.truncate(NEIGHBOURS);
        }
        near.sort_unstable_by(nearest_first);
        let Some((nearest, _)) = near.first().copied().filter(|it| it.0 > ALIKE) else {
            return Vec::new();
        };
        let mut says: Vec<(u32, f32)> = Vec::new();
        for (likeness, at) in near {
            let Some(tool) = index.tools.place_of(&self.lessons[at as usize].tool) else {
                continue;
            };
            let say = (NEARER * (likeness - nearest)).exp();
            match says.iter_mut().find(|it| it.0 == tool) {
                Some(known) => known.1 += say,
                None => says.push((tool, say)),
            }
        }
        let all: f32 = says.iter().map(|it| it.1).sum();
        let worth = MOST * ((nearest - ALIKE) / (SURE - ALIKE)).min(1.0);
        says.into_iter()
            .map(|(tool, say)| (tool, worth * say / all))
            .filter(|it| it.1 > 0.01)
            .collect()
    }

    /// The similarity of the query to each earlier one: by embeddings and by words, as far as
    /// available.
    fn likenesses(&self, text: &str, meaning: Option<&QueryEmbedding>) -> Vec<f32> {
        let mut alike = vec![0.0_f32; self.lessons.len()];
        let asked: Vec<_> = terms(text, &Stems::of(Language::English))
            .iter()
            .filter_map(|it| self.terms.get(it))
            .collect();
        let rarity = |having: &[(u32, f32)]| rarity(having.len(), self.lessons.len());
        let length =
            asked.iter().map(|it| rarity(it).powi(2)).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        for having in asked {
            let weight = rarity(having) / length;
            having.iter().for_each(|(at, theirs)| alike[*at as usize] += weight * theirs);
        }
        let whole = meaning.map(QueryEmbedding::vector);
        for (alike, lesson) in alike.iter_mut().zip(&self.lessons) {
            if let (Some(one), Some(other)) = (&whole, &lesson.meaning) {
                *alike = OF_WORDS * *alike + (1.0 - OF_WORDS) * one.likeness(other);
            }
        }
        alike
    }
}

impl std::fmt::Debug for LearnedQueries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learned").field("lessons", &self.lessons.len()).finish_non_exhaustive()
    }
}

/// The weight of a term that this many of all queries contain.
fn rarity(having: usize, all: usize) -> f32 {
    (1.0 + all as f32 / (having as f32 + 0.5)).ln()
}

/// The distinct terms of a query. Queries are compared with queries, so the language of the tools
/// does not matter.
fn terms(question: &str, stems: &Stems) -> Vec<String> {
    let mut all = Vec::new();
    words::each(question, |word| all.extend(stems.term(word).map(|it| it.into_owned())));
    all.sort_unstable();
    all.dedup();
    all
}
