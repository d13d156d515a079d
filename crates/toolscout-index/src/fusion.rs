//! Combines lexical and semantic scores into one.
//!
//! The semantic score always counts. The lexical score counts as far as it can be trusted: by the
//! share of the query that the words of the best tool cover, not by a comparison of tools. So
//! embeddings decide a query that shares no word with its tool, and words decide one that repeats
//! the words of the tool. `docs/measurements/search.md` has the measurements.

use crate::scores::LexicalScores;

/// Weight of the lexical score relative to the semantic one.
const LEXICAL_WEIGHT: f32 = 0.47;
/// Lexical score of about one rare word, at which words are fully trusted. Less may be chance:
/// words like `write` or `show` are everywhere.
const TRUSTED_SCORE: f32 = 1.1;
/// Covered shares of a query between which the trust in words grows from none to full, however
/// common the words are.
const LOW_SHARE: f32 = 0.35;
const HIGH_SHARE: f32 = 0.65;

/// The combined score of each tool, and the score of a perfect match.
pub(crate) struct FusedScores {
    pub(crate) scores: Vec<f32>,
    maximum: f32,
    /// Hits with a lower confidence are dropped, so that nonsense finds nothing.
    pub(crate) floor: f64,
}

/// Embeddings find some similarity for any text, even for nonsense; words do not. So the floors
/// differ.
const FLOOR: f64 = 0.14;
const NONSENSE_FLOOR: f64 = 0.2;
const LEXICAL_FLOOR: f64 = 0.08;

impl FusedScores {
    pub(crate) fn combine(words: &LexicalScores, meaning: Option<&[f32]>) -> Self {
        // No tool covers every word of a long query, and a query of common words has a low maximum.
        let maximum = words.maximum.sqrt().min(words.maximum).max(f32::MIN_POSITIVE);
        let Some(meaning) = meaning else {
            let floor = if words.is_known { LEXICAL_FLOOR } else { NONSENSE_FLOOR };
            return Self { scores: words.scores.clone(), maximum, floor };
        };
        let share = |number: f32| number / words.maximum.max(f32::MIN_POSITIVE);
        let trust = trust(words.best(), share(words.best()));
        let fit = |(words, meaning): (&f32, &f32)| {
            let meaning =
                if meaning.is_nan() { estimated_similarity(share(*words)) } else { *meaning };
            meaning + LEXICAL_WEIGHT * trust * words
        };
        let scores = words.scores.iter().zip(meaning).map(fit).collect();
        let floor = if words.is_known { FLOOR } else { NONSENSE_FLOOR };
        Self { scores, maximum: 1.0 + LEXICAL_WEIGHT * trust * maximum, floor }
    }

    /// The confidence that this tool is wanted, from 0 to 1.
    pub(crate) fn confidence(&self, tool: u32) -> f64 {
        const STEEPNESS: f64 = 7.0;
        let relative = f64::from((self.scores[tool as usize] / self.maximum).min(1.0));
        1.0 / (1.0 + (-STEEPNESS * (relative - 0.5)).exp())
    }
}

/// How far lexical scores are trusted: by the absolute score of the best tool or, for a query with
/// a low maximum, by its share.
fn trust(best: f32, share: f32) -> f32 {
    let absolute = (best / TRUSTED_SCORE).min(1.0).powi(2);
    absolute.max(((share - LOW_SHARE) / (HIGH_SHARE - LOW_SHARE)).clamp(0.0, 1.0))
}

/// The estimated semantic score of a tool that is not encoded yet.
fn estimated_similarity(share: f32) -> f32 {
    0.1 + 0.5 * share
}
