//! The query set that is compiled in, so that an installed program can be measured, too.

/// A tool in each line.
pub(super) const TOOLS: &str = include_str!("../../../data/retrieval/tools.jsonl");
/// A question in each line.
pub(super) const QUERIES: &str = include_str!("../../../data/retrieval/queries.jsonl");
