//! A copy of an approved tool never comes before it, in any ranking profile.

use crate::{Hit, Index};

/// Moves each copy behind its originals among the hits, with a score that is not higher.
pub(crate) fn demote(index: &Index, hits: Vec<Hit>) -> Vec<Hit> {
    if index.originals().is_empty() {
        return hits;
    }
    let number = |hit: &Hit| index.tools.position_of(&hit.id);
    let numbers: Vec<Option<u32>> = hits.iter().map(number).collect();
    let last_original = |at: usize| {
        let originals = numbers[at].map_or(&[][..], |tool| index.originals().of(tool));
        numbers.iter().rposition(|other| other.is_some_and(|tool| originals.contains(&tool)))
    };
    let places: Vec<(usize, usize)> =
        (0..hits.len()).map(|at| (last_original(at).map_or(at, |last| last.max(at)), at)).collect();
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
    let mut placed: Vec<((usize, usize), Hit)> = places.into_iter().zip(hits).collect();
    // The original is at its own place; what waits for it comes right after it.
    placed.sort_by_key(|((place, at), _)| (*place, *at != *place, *at));
    let lowered = placed
        .into_iter()
        .map(|((place, _), hit)| Hit { score: hit.score.min(scores[place]), ..hit });
    lowered.collect()
}
