//! What a ranking profile implements.

use crate::question::NormalizedQuery;
use crate::{Hit, Index, Query};

/// One way to score. A new one is a file with its rules and a line in the list of `profile`.
pub(crate) trait ScoringRules: Sync {
    /// What people type to choose it.
    fn word(&self) -> &'static str;
    /// The hits, best first, at most as many as the query wants.
    fn search(&self, index: &Index, query: &Query<'_>, question: &NormalizedQuery) -> Vec<Hit>;
}
