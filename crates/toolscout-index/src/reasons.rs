//! The reasons for a hit, as text for users.

use crate::Index;
use crate::evidence::Evidence;
use crate::fields::IndexField;
use crate::query_terms::{QueryTerm, TermMatchKind};
use crate::signal::Signals;

/// The inputs of reasons.
pub(crate) struct Reasons<'a> {
    pub(crate) index: &'a Index,
    pub(crate) evidence: &'a Evidence,
    pub(crate) signals: &'a Signals<'a>,
}

/// Maximum number of words among the reasons.
const MAX_WORDS: usize = 8;
/// Minimum similarity that counts as a reason.
const MIN_SIMILARITY: f32 = 0.2;

impl Reasons<'_> {
    pub(crate) fn for_tool(&self, tool: u32) -> Vec<String> {
        let mut all: Vec<String> = self.signals.reasons(tool).collect();
        if let Some(similarity) =
            self.evidence.similarity(tool).filter(|similarity| *similarity >= MIN_SIMILARITY)
        {
            all.push(format!("similar in meaning ({similarity:.2})"));
        }
        all.extend(
            self.evidence
                .terms
                .terms
                .iter()
                .filter_map(|term| self.term_reason(term, tool))
                .take(MAX_WORDS),
        );
        all
    }

    /// The fields in which the tool has this word or a match for it.
    fn term_reason(&self, term: &QueryTerm, tool: u32) -> Option<String> {
        let lexical = &self.index.data.lexical;
        let found_match = term
            .matches
            .iter()
            .find_map(|term_match| Some((term_match, lexical.entry(tool, term_match.term)?)));
        let (term_match, entry) = found_match?;
        let fields: Vec<&str> = IndexField::ALL
            .iter()
            .filter(|field| entry.fields & field.bit() != 0)
            .map(|field| field.label())
            .collect();
        let field_names = fields.join(", ");
        let (typed, found) = (&term.word, || self.index.original_spelling(term_match.term));
        Some(match term_match.kind {
            TermMatchKind::Same => format!("`{typed}` in {field_names}"),
            TermMatchKind::Synonym => {
                format!("`{}` (synonym of `{typed}`) in {field_names}", found())
            }
            TermMatchKind::Near => format!("`{}` (you typed `{typed}`) in {field_names}", found()),
            TermMatchKind::Compound => format!("`{}` (from `{typed}`) in {field_names}", found()),
        })
    }
}
