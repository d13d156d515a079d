//! The default profile: combines lexical and semantic scores, applies signals, and adds reasons.

use crate::evidence::Evidence;
use crate::fair_share::{self, Fit};
use crate::fusion::FusedScores;
use crate::normalized_query::NormalizedQuery;
use crate::reasons::Reasons;
use crate::rules::ScoringRules;
use crate::signal::{SignalInput, Signals};
use crate::{Hit, Index, Query, ladder2, unapproved};
use std::cmp::Ordering;

pub(crate) struct RankedScoring;

impl ScoringRules for RankedScoring {
    fn name(&self) -> &'static str {
        "ranked"
    }

    fn search(&self, index: &Index, query: &Query<'_>, normalized: &NormalizedQuery) -> Vec<Hit> {
        match index.approved_part() {
            Some(part) => {
                let ours = scored(part, query, normalized, &|_| true);
                let is_unapproved = |tool: u32| !index.tools.is_approved(tool);
                let others = scored(index, query, normalized, &is_unapproved);
                unapproved::merge(index, ours, others, query)
            }
            None => scored(index, query, normalized, &|_| true),
        }
    }
}

/// The best hits among these tools of an index.
fn scored(
    index: &Index,
    query: &Query<'_>,
    normalized: &NormalizedQuery,
    is_meant: &dyn Fn(u32) -> bool,
) -> Vec<Hit> {
    let evidence = Evidence::gather(index, query);
    // The query has only stop words, or none at all.
    if evidence.terms.terms.is_empty() {
        let mut hits = ladder2::Ladder2.search(index, query, normalized);
        hits.retain(|hit| index.tools.position_of(&hit.id).is_some_and(is_meant));
        return hits;
    }
    let Evidence { terms, lexical, semantic } = &evidence;
    let signals = Signals::compute(&SignalInput { index, query, terms, lexical });
    let mut fused = FusedScores::combine(lexical, semantic.as_deref());
    for (tool, weight) in signals.additions() {
        fused.scores[tool as usize] += weight;
    }
    let reasons = Reasons { index, evidence: &evidence, signals: &signals };
    let floor = if query.has_floor { fused.floor } else { 0.0 };
    let fit = |tool: u32| Fit {
        tool,
        score: signals.score(tool, fused.confidence(tool), floor),
        source: index.tools.sources[tool as usize],
        is_approved: index.tools.is_approved(tool),
    };
    let best = best_hits(index, &fused.scores, &signals.certain(), query, is_meant, fit);
    let hits = best.into_iter().filter(|fit| fit.score >= floor);
    hits.map(|hit| Hit {
        id: index.tools.id(hit.tool).clone(),
        score: round(hit.score),
        reasons: reasons.for_tool(hit.tool),
    })
    .collect()
}

/// The best hits with fair shares. Considers only a few more tools than the limit first; all of
/// them if that is not enough, because one source has most of those.
fn best_hits(
    index: &Index,
    fits: &[f32],
    certain: &[u32],
    query: &Query<'_>,
    is_meant: &dyn Fn(u32) -> bool,
    fit: impl Fn(u32) -> Fit,
) -> Vec<Fit> {
    let limit = query.bounded_limit();
    let is_match = |tool: &u32| fits[*tool as usize] > 0.0 || certain.contains(tool);
    let is_admitted = |tool: &u32| is_meant(*tool) && query.admits(index.tools.id(*tool));
    let mut tools: Vec<u32> = (0..fits.len() as u32).filter(is_match).filter(is_admitted).collect();
    let by_fit = |one: &u32, other: &u32| {
        fits[*other as usize].total_cmp(&fits[*one as usize]).then(one.cmp(other))
    };
    let enough = limit * 3 + 64;
    let all = if tools.len() > enough {
        let all = tools.clone();
        tools.select_nth_unstable_by(enough, by_fit);
        tools.truncate(enough);
        tools.extend(certain.iter().filter(|item| is_admitted(item)));
        Some(all)
    } else {
        None
    };
    let pick = |mut tools: Vec<u32>| {
        tools.sort_unstable();
        tools.dedup();
        let mut fits: Vec<Fit> = tools.into_iter().map(&fit).collect();
        fits.sort_unstable_by(|one, other| best_first(index, one, other));
        // A query that names sources wants exactly those, so shares do not apply.
        if query.sources.is_some() {
            fits.truncate(limit);
            return fits;
        }
        fair_share::pick(&fits, limit)
    };
    let picks = pick(tools);
    match all {
        Some(all) if picks.len() < limit => pick(all),
        _ => picks,
    }
}

/// Ties are broken by tool id, never by input order.
fn best_first(index: &Index, one: &Fit, other: &Fit) -> Ordering {
    let id = |fit: &Fit| index.tools.id(fit.tool);
    other.score.total_cmp(&one.score).then_with(|| id(one).cmp(id(other)))
}

/// Four digits distinguish two hits; more would only look precise.
fn round(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}
