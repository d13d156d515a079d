//! One score of words and meaning.
//!
//! Meaning counts always, words as far as they are to be trusted: by how much of the question the best tool has in its words, not by
//! how the tools compare. So a question that shares no word with its tool is decided by meaning, and one that repeats the
//! tool's words by words. `docs/search.md` has what led here.

use crate::scores::LexicalScores;

/// What a rare word that a tool is all about is worth beside meaning.
const WORDS: f32 = 0.47;
/// Words are trusted where the best tool has about as much as one rare word. Less is chance: everybody says `write` or `show`.
const TRUSTED: f32 = 1.1;
/// From some of a question to most of it: who has that in words is meant, however common the words are.
const SOME: f32 = 0.35;
const MOST_OF_IT: f32 = 0.65;

/// How well each tool fits, and how well one would that is all that was asked for.
pub(crate) struct FusedScores {
    pub(crate) of: Vec<f32>,
    most: f32,
    /// Who is less sure than that is no hit: nonsense finds nothing.
    pub(crate) floor: f64,
}

/// Meaning always finds something that is a little alike, also to words that are none; words do not.
const FLOOR: f64 = 0.14;
const FLOOR_OF_NONSENSE: f64 = 0.2;
const FLOOR_OF_WORDS: f64 = 0.08;

impl FusedScores {
    pub(crate) fn of(words: &LexicalScores, meaning: Option<&[f32]>) -> Self {
        // Of a long question nobody answers every word; one of words that all tools have is answered by little.
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

    /// How sure it is that this tool is one that is meant, from 0 to 1.
    pub(crate) fn sure(&self, tool: u32) -> f64 {
        const STEEP: f64 = 7.0;
        let reached = f64::from((self.of[tool as usize] / self.most).min(1.0));
        1.0 / (1.0 + (-STEEP * (reached - 0.5)).exp())
    }
}

/// How far words are to be trusted: by how much the best tool has of what was asked, in all or, where little was asked, as a share.
fn trust(best: f32, share: f32) -> f32 {
    let in_all = (best / TRUSTED).min(1.0).powi(2);
    in_all.max(((share - SOME) / (MOST_OF_IT - SOME)).clamp(0.0, 1.0))
}

/// What the meaning of a tool that is not encoded yet probably gives.
fn probable(share: f32) -> f32 {
    0.1 + 0.5 * share
}
