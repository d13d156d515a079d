//! The profile `substring`: plain text search without scores.

use crate::entry::SearchableText;
use crate::normalized_query::NormalizedQuery;
use crate::rules::ScoringRules;
use crate::{Hit, Index, Query};

pub(crate) struct Substring;

impl ScoringRules for Substring {
    fn name(&self) -> &'static str {
        "substring"
    }

    fn search(&self, index: &Index, query: &Query<'_>, normalized: &NormalizedQuery) -> Vec<Hit> {
        index
            .tools
            .entries()
            .iter()
            .filter(|entry| query.admits(&entry.id))
            .filter_map(|entry| {
                Some(Hit { id: entry.id.clone(), score: 1.0, reasons: reasons(entry, normalized)? })
            })
            .take(query.bounded_limit())
            .collect()
    }
}

/// The field that contains the text; none if no field does. An empty query matches every tool
/// without a reason.
fn reasons(entry: &SearchableText, normalized: &NormalizedQuery) -> Option<Vec<String>> {
    let text = normalized.text();
    if normalized.is_empty() {
        Some(Vec::new())
    } else if entry.name().contains(text) {
        Some(vec![format!("name has `{text}`")])
    } else if entry.description.contains(text) {
        Some(vec![format!("description has `{text}`")])
    } else {
        None
    }
}
