//! Combines lexical and semantic scores into one.
//!
//! The semantic score always counts. The lexical score counts as far as it can be trusted: by the
//! share of the query that the words of the best tool cover, not by a comparison of tools. So
//! embeddings decide a query that shares no word with its tool, and words decide one that repeats
//! the words of the tool. `docs/search.md` has the measurements.

use crate::scores::LexicalScores;

/// Weight of the lexical score relative to the semantic one.
const WORDS: f32 = 0.47;
/// Lexical score of about one rare word, at which words are fully trusted. Less may be chance:
/// words like `write` or `show` are everywhere.
const TRUSTED: f32 = 1.1;
/// Covered shares of a query between which the trust in words grows from none to full, however
/// common the words are.
const SOME: f32 = 0.35;
const MOST_OF_IT: f32 = 0.65;

/// The combined score of each tool, and the score of a perfect match.
pub(crate) struct FusedScores {
    pub(crate) of: Vec<f32>,
    most: f32,
    /// Hits with a lower confidence are dropped, so that nonsense finds nothing.
    pub(crate) floor: f64,
}

/// Embeddings find some similarity for any text, even for nonsense; words do not. So the floors
/// differ.
const FLOOR: f64 = 0.14;
const FLOOR_OF_NONSENSE: f64 = 0.2;
const FLOOR_OF_WORDS: f64 = 0.08;

impl FusedScores {
    pub(crate) fn of(words: &LexicalScores, meaning: Option<&[f32]>) -> Self {
        // No tool covers every word of a long query, and a query of common words has a low maximum.
        let most = words.most.sqrt().min(words.most).max(f32::MIN_POSITIVE);
        let Some(meaning) = meaning else {
            let floor = if words.is_known { FLOOR_OF_WORDS } else { FLOOR_OF_NONSENSE };
            return Self { of: words.of.clone(), most, floor };
        };
        let share = |it: f32| it / words.most.max(f32::MIN_POSITIVE);
        let trust = trust(words.best(), share(words.best()));
        let fit = |(words, meaning): (&f32, &f32)| {
            let meaning = if meaning.is_nan() { probable(share(*words)) } else { *meaning };
            meaning + WORDS * trust * words
        };
        let of = words.of.iter().zip(meaning).map(fit).collect();
        let floor = if words.is_known { FLOOR } else { FLOOR_OF_NONSENSE };
        Self { of, most: 1.0 + WORDS * trust * most, floor }
    }

    /// The confidence that this tool is wanted, from 0 to 1.
    pub(crate) fn sure(&self, tool: u32) -> f64 {
        const STEEP: f64 = 7.0;
        let reached = f64::from((self.of[tool as usize] / self.most).min(1.0));
        1.0 / (1.0 + (-STEEP * (reached - 0.5)).exp())
    }
}

/// How far lexical scores are trusted: by the absolute score of the best tool or, for a query with
/// a low maximum, by its share.
fn trust(best: f32, share: f32) -> f32 {
    let in_all = (best / TRUSTED).min(1.0).powi(2);
    in_all.max(((share - SOME) / (MOST_OF_IT - SOME)).clamp(0.0, 1.0))
}

/// The estimated semantic score of a tool that is not encoded yet.
fn probable(share: f32) -> f32 {
    0.1 + 0.5 * share
}
