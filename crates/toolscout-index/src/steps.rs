//! The shared part of both ladders: scores each word and each name, and sorts the tools.

use crate::entry::SearchableText;
use crate::normalized_query::NormalizedQuery;
use crate::rung::{Met, Rung, in_description, similar_spelling};
use crate::{Hit, Query};
use std::cmp::Ordering;

/// The differences between the ladders.
pub(crate) trait LadderSteps {
    /// The rung that the word reaches on this name.
    fn on_name<'a>(&self, word: &'a str, name: &str) -> Option<Rung<'a>>;
    /// The rung that the word reaches on this keyword.
    fn on_keyword<'a>(&self, word: &'a str, keyword: &'a str) -> Option<Rung<'a>>;
    /// Combines the scores of the words: `total` is the sum over the `matched` words with a match,
    /// of `total_words` words in all.
    fn combine(&self, total: f64, matched: usize, total_words: usize) -> f64;

    /// The highest rung that the word reaches on this tool under this name.
    fn best_rung<'a>(
        &self,
        word: &'a str,
        name: &'a str,
        entry: &'a SearchableText,
    ) -> Option<Rung<'a>> {
        let keywords = entry.keywords.iter().filter_map(|keyword| self.on_keyword(word, keyword));
        let rungs =
            [self.on_name(word, name), Rung::highest(keywords), in_description(word, entry)];
        Rung::highest(rungs.into_iter().flatten()).or_else(|| similar_spelling(word, name, entry))
    }
}

/// The best tools: by score, then by name, then by source. An empty query returns every tool, by
/// name.
pub(crate) fn search(
    steps: &impl LadderSteps,
    entries: &[SearchableText],
    normalized: &NormalizedQuery,
    query: &Query<'_>,
) -> Vec<Hit> {
    let limit = query.bounded_limit();
    let admitted = entries.iter().filter(|entry| query.admits(&entry.id));
    let mut scored: Vec<(f64, &SearchableText)> = admitted
        .map(|entry| (score(steps, entry, normalized), entry))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    if scored.len() > limit {
        scored.select_nth_unstable_by(limit, best_first);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(best_first);
    // Building reasons is slow, so it is done only for the returned hits.
    scored
        .into_iter()
        .map(|(score, entry)| Hit {
            id: entry.id.clone(),
            score,
            reasons: reasons(steps, entry, normalized),
        })
        .collect()
}

fn best_first(
    (left_score, left): &(f64, &SearchableText),
    (right_score, right): &(f64, &SearchableText),
) -> Ordering {
    let by_name = || left.id.name.as_str().cmp(right.id.name.as_str());
    right_score
        .total_cmp(left_score)
        .then_with(by_name)
        .then_with(|| left.id.source.cmp(&right.id.source))
}

fn score(steps: &impl LadderSteps, entry: &SearchableText, normalized: &NormalizedQuery) -> f64 {
    if normalized.is_empty() {
        return 1.0;
    }
    entry.names().map(|name| score_as(steps, name, entry, normalized)).fold(0.0, f64::max)
}

fn score_as(
    steps: &impl LadderSteps,
    name: &str,
    entry: &SearchableText,
    normalized: &NormalizedQuery,
) -> f64 {
    if name == normalized.text() {
        return 1.0;
    }
    let (mut total, mut matched, mut total_words) = (0.0, 0, 0);
    for word in normalized.words() {
        total_words += 1;
        if let Some(rung) = steps.best_rung(word, name, entry) {
            total += rung.score;
            matched += 1;
        }
    }
    round(steps.combine(total, matched, total_words))
}

/// Nine digits: the same scores added in another order must tie, and 0.2125 must not become
/// 0.21250000000000002.
fn round(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

fn reasons(
    steps: &impl LadderSteps,
    entry: &SearchableText,
    normalized: &NormalizedQuery,
) -> Vec<String> {
    if normalized.is_empty() {
        return Vec::new();
    }
    let best = entry
        .names()
        .map(|name| (score_as(steps, name, entry, normalized), name))
        .reduce(|best, value| if value.0 > best.0 { value } else { best });
    let Some((_, name)) = best else { return Vec::new() };
    if name == normalized.text() {
        return vec![Rung::new(1.0, name, Met::WholeName).to_string()];
    }
    let mut all = Vec::new();
    for rung in normalized.words().filter_map(|word| steps.best_rung(word, name, entry)) {
        let reason = rung.to_string();
        if !all.contains(&reason) {
            all.push(reason);
        }
    }
    all
}
