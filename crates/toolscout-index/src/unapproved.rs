//! Hits of unapproved sources, among those of approved ones.
//!
//! An unapproved source chooses its names and texts to be found. So it cannot change the scores of
//! approved tools: these are computed as if it did not exist. It has a limited share of a result,
//! and at most one of the first hits.

use crate::{Hit, Index, Query};
use toolscout_core::SourceId;

/// Maximum share of one unapproved source in a result, and of all of them, while approved ones have
/// hits.
const MAX_SHARE: f64 = 0.2;
const MAX_SHARE_OF_ALL: f64 = 0.4;
/// Maximum share of one unapproved source if no approved one has a hit left.
const MAX_SHARE_ALONE: f64 = 0.4;
/// Number of first hits of which only one is unapproved.
const FIRST: usize = 3;

/// The best hits of both lists, each of which is sorted.
pub(crate) fn merge(
    index: &Index,
    ours: Vec<Hit>,
    others: Vec<Hit>,
    query: &Query<'_>,
) -> Vec<Hit> {
    let limit = query.bounded_limit();
    let mut others = below_originals(index, &ours, others);
    // A query that names sources wants exactly those, so shares do not apply.
    let has_shares = query.sources.is_none();
    let mut ours = ours.into_iter().peekable();
    let mut picks: Vec<Hit> = Vec::new();
    let mut sources: Vec<SourceId> = Vec::new();
    while picks.len() < limit {
        let approved = ours.peek().map(|hit| hit.score);
        let has_room = |hit: &Hit| {
            if !has_shares {
                return true;
            }
            let own = sources.iter().filter(|source| **source == hit.id.source).count();
            if approved.is_none() {
                return own < share(limit, MAX_SHARE_ALONE);
            }
            own < share(limit, MAX_SHARE)
                && sources.len() < share(limit, MAX_SHARE_OF_ALL)
                && (picks.len() >= FIRST || sources.is_empty())
        };
        let next = others.iter().position(has_room);
        let is_better = |at: &usize| approved.is_none_or(|score| others[*at].score > score);
        match next.filter(is_better) {
            Some(at) => {
                let hit = others.remove(at);
                sources.push(hit.id.source.clone());
                picks.push(hit);
            }
            None => match ours.next() {
                Some(hit) => picks.push(hit),
                None => break,
            },
        }
    }
    picks
}

/// A copy has no higher score than any of its originals among the hits.
fn below_originals(index: &Index, ours: &[Hit], mut others: Vec<Hit>) -> Vec<Hit> {
    for hit in &mut others {
        let number = index.tools.position_of(&hit.id);
        for original in number.map_or(&[][..], |tool| index.originals().of(tool)) {
            let id = index.tools.id(*original);
            let found = ours.iter().find(|hit| hit.id == *id);
            hit.score = found.map_or(hit.score, |found| hit.score.min(found.score));
        }
    }
    others.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.id.cmp(&other.id))
    });
    others
}

/// The number of hits of this part of a result, at least one.
fn share(limit: usize, part: f64) -> usize {
    ((limit as f64 * part).floor() as usize).max(1)
}
