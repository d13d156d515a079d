//! The trait that ranking profiles implement.

use crate::normalized_query::NormalizedQuery;
use crate::{Hit, Index, Query};

/// One way to score. To add one, write a file with its rules and a line in the list of `profile`.
pub(crate) trait ScoringRules: Sync {
    /// The name that users type to select it.
    fn name(&self) -> &'static str;
    /// The hits, best first, up to the limit of the query.
    fn search(&self, index: &Index, query: &Query<'_>, normalized: &NormalizedQuery) -> Vec<Hit>;
}
