//! Plain text search: no scores, no ranking, no surprises.

use crate::Hit;
use crate::entry::Entry;
use crate::profile::Rules;
use crate::question::Question;

pub(crate) struct Substring;

impl Rules for Substring {
    fn word(&self) -> &'static str {
        "substring"
    }

    fn search(&self, entries: &[Entry], question: &Question, limit: usize) -> Vec<Hit> {
        entries
            .iter()
            .filter_map(|entry| Some(Hit { id: entry.id.clone(), score: 1.0, why: why(entry, question)? }))
            .take(limit)
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
