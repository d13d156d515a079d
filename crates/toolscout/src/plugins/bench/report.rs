//! The report of a benchmark: one JSON object.

use super::measure::Measured;
use super::ranking::How;
use super::score::{self, HIT_AT, RECALL_AT, Scores};
use super::set::Set;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The conditions of a measurement.
pub(super) struct Circumstances<'a> {
    pub(super) set: &'a Set,
    pub(super) how: How,
    /// The number of queries that were learned from before the measurement.
    pub(super) observed: usize,
}

/// The whole report; `scores` has one entry for each query, with its kind.
pub(super) fn report(
    of: &Circumstances<'_>,
    measured: &Measured,
    scores: &[(Option<String>, Scores)],
) -> Value {
    let mut all = Map::new();
    all.insert("set".to_owned(), json!(of.set.name));
    all.insert("profile".to_owned(), json!(of.how.profile.as_str()));
    all.insert("lexical".to_owned(), json!(!measured.has_encoder));
    all.insert("tools".to_owned(), json!(of.set.tools.len()));
    all.insert("queries".to_owned(), json!(scores.len()));
    all.insert("observed".to_owned(), json!(of.observed));
    figures(&mut all, &Scores::mean(scores.iter().map(|(_, score)| score)));
    all.insert("build_ms".to_owned(), json!(milliseconds(measured.build)));
    all.insert("search_p50_ms".to_owned(), json!(milliseconds(measured.percentile(50))));
    all.insert("search_p99_ms".to_owned(), json!(milliseconds(measured.percentile(99))));
    let kinds = score::by_kind(scores);
    if !kinds.is_empty() {
        let kinds = kinds
            .into_iter()
            .map(|(kind, (count, scores))| (kind.to_owned(), of_kind(count, &scores)));
        all.insert("kinds".to_owned(), Value::Object(kinds.collect()));
    }
    Value::Object(all)
}

fn of_kind(count: usize, scores: &Scores) -> Value {
    let mut all = Map::from_iter([("queries".to_owned(), json!(count))]);
    figures(&mut all, scores);
    Value::Object(all)
}

fn figures(all: &mut Map<String, Value>, scores: &Scores) {
    all.insert("ndcg@10".to_owned(), share(scores.ndcg_10));
    for (depth, figure) in RECALL_AT.iter().zip(scores.recall) {
        all.insert(format!("recall@{depth}"), share(figure));
    }
    all.insert("mrr".to_owned(), share(scores.reciprocal_rank));
    for (depth, figure) in HIT_AT.iter().zip(scores.hit) {
        all.insert(format!("hit@{depth}"), share(figure));
    }
}

/// Rounds to six digits, more than any set can distinguish.
fn share(figure: f64) -> Value {
    json!((figure * 1e6).round() / 1e6)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}
