//! What was called after which question, so that the next one who asks so finds it.

use crate::Language;
use crate::stems::Stems;
use crate::vectors::Vector;
use crate::{Index, QueryEmbedding, words};
use hashbrown::HashMap;
use toolscout_core::ToolId;

/// Questions that ended in a call that worked. Only what people and agents did counts here: a tool's own text cannot add to it.
#[derive(Default, Clone)]
pub struct LearnedQueries {
    lessons: Vec<LearnedQuery>,
    /// By term, the lessons that have it, and how much they are about it.
    terms: HashMap<String, Vec<(u32, f32)>>,
}

/// One question, and the tool that answered it.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedQuery {
    /// What was called.
    pub tool: ToolId,
    /// What had been asked.
    pub question: String,
    /// What that means, where there is an encoder.
    pub meaning: Option<Vector>,
}

/// What lessons about the very same question are worth: more than words and meaning of any tool.
const MOST: f32 = 2.0;
/// Where even the nearest question is less alike than that, nothing was learned about this one; from `SURE` on, all counts.
const ALIKE: f32 = 0.3;
const SURE: f32 = 0.6;
/// So many of the nearest questions have a say, the nearer the more.
const NEIGHBOURS: usize = 40;
const NEARER: f32 = 15.0;
/// The share of words in how alike two questions are, where their meaning is known, too.
const OF_WORDS: f32 = 0.35;

impl LearnedQueries {
    /// Learns from these.
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
            (term, having.into_iter().map(|at| (at, weight / lengths[at as usize].sqrt())).collect())
        };
        let terms = counted.into_iter().map(weigh).collect();
        Self { lessons, terms }
    }

    /// Whether nothing was learned yet.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// What this question should add, tool by tool.
    pub(crate) fn lessons(&self, index: &Index, text: &str, meaning: Option<&QueryEmbedding>) -> Vec<(u32, f32)> {
        let mut near: Vec<(f32, u32)> = self.likenesses(text, meaning).into_iter().zip(0..).collect();
        let nearest_first = |one: &(f32, u32), other: &(f32, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
        if near.len() > NEIGHBOURS {
            near.select_nth_unstable_by(NEIGHBOURS, nearest_first);
            near.truncate(NEIGHBOURS);
        }
        near.sort_unstable_by(nearest_first);
        let Some((nearest, _)) = near.first().copied().filter(|it| it.0 > ALIKE) else { return Vec::new() };
        let mut says: Vec<(u32, f32)> = Vec::new();
        for (likeness, at) in near {
            let Some(tool) = index.tools.place_of(&self.lessons[at as usize].tool) else { continue };
            let say = (NEARER * (likeness - nearest)).exp();
            match says.iter_mut().find(|it| it.0 == tool) {
                Some(known) => known.1 += say,
                None => says.push((tool, say)),
            }
        }
        let all: f32 = says.iter().map(|it| it.1).sum();
        let worth = MOST * ((nearest - ALIKE) / (SURE - ALIKE)).min(1.0);
        says.into_iter().map(|(tool, say)| (tool, worth * say / all)).filter(|it| it.1 > 0.01).collect()
    }

    /// How alike the question is to each that was asked before: in meaning and in words, as far as either is known.
    fn likenesses(&self, text: &str, meaning: Option<&QueryEmbedding>) -> Vec<f32> {
        let mut alike = vec![0.0_f32; self.lessons.len()];
        let asked: Vec<_> =
            terms(text, &Stems::of(Language::English)).iter().filter_map(|it| self.terms.get(it)).collect();
        let rarity = |having: &[(u32, f32)]| rarity(having.len(), self.lessons.len());
        let length = asked.iter().map(|it| rarity(it).powi(2)).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
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

/// What a term tells that so many of all questions have.
fn rarity(having: usize, all: usize) -> f32 {
    (1.0 + all as f32 / (having as f32 + 0.5)).ln()
}

/// Each once. Questions are compared with questions, so nothing depends on the language of tools.
fn terms(question: &str, stems: &Stems) -> Vec<String> {
    let mut all = Vec::new();
    words::each(question, |word| all.extend(stems.term(word).map(|it| it.into_owned())));
    all.sort_unstable();
    all.dedup();
    all
}
