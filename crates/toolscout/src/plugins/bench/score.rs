//! The quality of a ranking, in standard measures. Relevance is binary.

use std::collections::BTreeMap;

/// Measures of one ranking, or their mean over several: each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Scores {
    pub(super) ndcg_10: f64,
    /// The share of the relevant tools among the first 1, 3, 5 and 10.
    pub(super) recall: [f64; 4],
    /// One over the rank of the first relevant tool.
    pub(super) reciprocal_rank: f64,
    /// Whether any relevant tool is among the first 1 and 5.
    pub(super) hit: [f64; 2],
}

/// The depths at which recall and hits are measured.
pub(super) const RECALL_AT: [usize; 4] = [1, 3, 5, 10];
pub(super) const HIT_AT: [usize; 2] = [1, 5];

impl Scores {
    /// Scores a ranking against its relevant tools, of which there is at least one.
    pub(super) fn of(ranked: &[&str], relevant: &[String]) -> Self {
        let found: Vec<bool> =
            ranked.iter().map(|ranked| relevant.iter().any(|id| id == ranked)).collect();
        let count = |depth: usize| found.iter().take(depth).filter(|item| **item).count() as f64;
        let first = found.iter().position(|item| *item);
        Self {
            ndcg_10: ndcg(&found, relevant.len(), 10),
            recall: RECALL_AT.map(|depth| count(depth) / relevant.len().max(1) as f64),
            reciprocal_rank: first.map_or(0.0, |value| 1.0 / (value + 1) as f64),
            hit: HIT_AT.map(|depth| count(depth).min(1.0)),
        }
    }

    /// The mean; zero for an empty list.
    pub(super) fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0.0);
        for value in all {
            sum.ndcg_10 += value.ndcg_10;
            sum.reciprocal_rank += value.reciprocal_rank;
            sum.recall.iter_mut().zip(value.recall).for_each(|(sum, item)| *sum += item);
            sum.hit.iter_mut().zip(value.hit).for_each(|(sum, item)| *sum += item);
            count += 1.0;
        }
        let share = |number: f64| if count > 0.0 { number / count } else { 0.0 };
        Self {
            ndcg_10: share(sum.ndcg_10),
            recall: sum.recall.map(share),
            reciprocal_rank: share(sum.reciprocal_rank),
            hit: sum.hit.map(share),
        }
    }
}

/// The mean of each kind, by its name.
pub(super) fn by_kind<'a>(
    all: &'a [(Option<String>, Scores)],
) -> BTreeMap<&'a str, (usize, Scores)> {
    let mut kinds: BTreeMap<&'a str, Vec<&'a Scores>> = BTreeMap::new();
    for (kind, scores) in all {
        if let Some(kind) = kind {
            kinds.entry(kind).or_default().push(scores);
        }
    }
    kinds.into_iter().map(|(kind, all)| (kind, (all.len(), Scores::mean(all)))).collect()
}

/// Normalized discounted cumulative gain with binary relevance.
fn ndcg(found: &[bool], relevant: usize, depth: usize) -> f64 {
    let worth = |place: usize| 1.0 / ((place + 2) as f64).log2();
    let got: f64 = found
        .iter()
        .take(depth)
        .enumerate()
        .filter(|(_, item)| **item)
        .map(|(place, _)| worth(place))
        .sum();
    let best: f64 = (0..relevant.min(depth)).map(worth).sum();
    if best > 0.0 { got / best } else { 0.0 }
}
