//! Plain text search: no scores, no ranking, no surprises.

use crate::entry::Entry;
use crate::question::Question;
use crate::rules::Rules;
use crate::{Hit, Index, Query};

pub(crate) struct Substring;

impl Rules for Substring {
    fn word(&self) -> &'static str {
        "substring"
    }

    fn search(&self, index: &Index, query: &Query<'_>, question: &Question) -> Vec<Hit> {
        index
            .tools
            .entries()
            .iter()
            .filter(|entry| query.admits(&entry.id))
            .filter_map(|entry| Some(Hit { id: entry.id.clone(), score: 1.0, why: why(entry, question)? }))
            .take(query.bounded_limit())
            .collect()
    }
}

/// What has the text, or nothing where nothing does. An empty question is met by every tool and needs no reason.
fn why(entry: &Entry, question: &Question) -> Option<Vec<String>> {
    let text = question.text();
    if question.is_empty() {
        Some(Vec::new())
    } else if entry.name().contains(text) {
        Some(vec![format!("name has `{text}`")])
    } else if entry.description.contains(text) {
        Some(vec![format!("description has `{text}`")])
    } else {
        None
    }
}
