//! The built-in query set, so that an installed program can be measured, too.

/// One tool per line.
pub(super) const TOOLS: &str = include_str!("../../../data/retrieval/tools.jsonl");
/// One query per line.
pub(super) const QUERIES: &str = include_str!("../../../data/retrieval/queries.jsonl");
