//! Scores a run file: nDCG@10 and recall@5, from only the queries and the ranked ids.

use anyhow::Context;
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// In percent, over all queries.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RankingScores {
    pub(super) ndcg_10: f64,
    pub(super) recall_5: f64,
}

impl RankingScores {
    /// The mean with equal weight for each set, independent of its number of queries.
    pub(super) fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        Self { ndcg_10: mean(|value| value.ndcg_10), recall_5: mean(|value| value.recall_5) }
    }
}

/// Scores a run that has a line for every query, in their order.
pub(super) fn of_run(queries: &Path, run: &Path) -> anyhow::Result<RankingScores> {
    let (queries, runs) = (lines(queries)?, lines(run)?);
    let mut all = Vec::new();
    let mut answers = runs.iter();
    // A query without relevant tools cannot be scored, and some methods skip it.
    for query in queries.iter().filter(|query| !ids(query, "relevant").is_empty()) {
        let answer = answers
            .find(|answer| answer["id"] == query["id"])
            .with_context(|| format!("no answer to {}", query["id"]))?;
        all.push(of_query(&ids(answer, "ranked"), &ids(query, "relevant")));
    }
    Ok(RankingScores::mean(&all))
}

pub(super) fn of_query(ranked: &[&str], relevant: &[&str]) -> RankingScores {
    let relevant: HashSet<_> = relevant.iter().collect();
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let found = |depth: usize| {
        ranked.iter().take(depth).enumerate().filter(|(_, ranked)| relevant.contains(ranked))
    };
    let best: f64 = (0..relevant.len().min(10)).map(gain).sum();
    let ndcg_10 = 100.0 * found(10).map(|(place, _)| gain(place)).sum::<f64>() / best;
    RankingScores { ndcg_10, recall_5: 100.0 * found(5).count() as f64 / relevant.len() as f64 }
}

fn ids<'a>(line: &'a Value, key: &str) -> Vec<&'a str> {
    line[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn lines(path: &Path) -> anyhow::Result<Vec<Value>> {
    let file = File::open(path).with_context(|| format!("open {}", path.display()))?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes: Box<dyn Read> =
        if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut all = Vec::new();
    for line in BufReader::new(bytes).lines() {
        let line = line.with_context(|| format!("read {}", path.display()))?;
        if !line.trim().is_empty() {
            all.push(
                serde_json::from_str(&line)
                    .with_context(|| format!("understand {}", path.display()))?,
            );
        }
    }
    Ok(all)
}
