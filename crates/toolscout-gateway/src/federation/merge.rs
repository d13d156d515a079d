//! From several lists of hits to one.

use crate::SearchHit;
use std::collections::HashSet;

/// The best of all, best first, no tool twice. Among equals what is near comes first, then who was asked first; so the
/// same lists always make the same one.
pub(super) fn merged(near: Vec<SearchHit>, far: Vec<SearchHit>, most: usize) -> Vec<SearchHit> {
    let mut all: Vec<_> = near.into_iter().chain(far).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(it.tool.id.clone()));
    all.truncate(most);
    all
}

/// The last part of a name: what a tool is called by itself.
pub(super) fn bare(name: &str) -> &str {
    let name = name.rsplit(['/', ':']).next().unwrap_or(name);
    name.rsplit_once("__").map_or(name, |(_, bare)| bare)
}
