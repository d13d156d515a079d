//! Splits queries into those that search learns from and those it is measured on.

use super::set::SetQuery;
use std::collections::BTreeMap;

/// The queries that search may learn from, and those it is measured on.
pub(super) struct Split {
    pub(super) observed: Vec<SetQuery>,
    pub(super) asked: Vec<SetQuery>,
}

/// Selects this share of every tool's queries for learning, rounded down; the selection does not
/// depend on their order.
pub(super) fn split(queries: Vec<SetQuery>, share: f64) -> Split {
    let observed = chosen(&queries, share);
    let mut split = Split { observed: Vec::new(), asked: Vec::new() };
    for (query, is_observed) in queries.into_iter().zip(observed) {
        let part = if is_observed { &mut split.observed } else { &mut split.asked };
        part.push(query);
    }
    split
}

/// Whether each query is selected for learning. A query with several tools counts for the first of
/// them.
fn chosen(queries: &[SetQuery], share: f64) -> Vec<bool> {
    let mut by_tool: BTreeMap<Option<&String>, Vec<usize>> = BTreeMap::new();
    for (at, query) in queries.iter().enumerate() {
        by_tool.entry(query.relevant.first()).or_default().push(at);
    }
    let mut chosen = vec![false; queries.len()];
    for mut places in by_tool.into_values() {
        places.sort_by_cached_key(|at| lot(&queries[*at]));
        let count = (places.len() as f64 * share) as usize;
        places.into_iter().take(count).for_each(|at| chosen[at] = true);
    }
    chosen
}

/// A pseudo-random order that is the same on every machine.
fn lot(query: &SetQuery) -> [u8; 32] {
    let text = format!("retrieval\0{}\0{}", query.id, query.query);
    *blake3::hash(text.as_bytes()).as_bytes()
}
