//! The reasons for a hit, as text for users.

use crate::Index;
use crate::asked::{QueryTerm, TermMatchKind};
use crate::evidence::Evidence;
use crate::fields::IndexField;
use crate::signal::Signals;

/// The inputs of reasons.
pub(crate) struct Reasons<'a> {
    pub(crate) index: &'a Index,
    pub(crate) evidence: &'a Evidence,
    pub(crate) signals: &'a Signals<'a>,
}

/// Maximum number of words among the reasons.
const MOST: usize = 8;
/// Minimum similarity that counts as a reason.
const ALIKE: f32 = 0.2;

impl Reasons<'_> {
    pub(crate) fn of(&self, tool: u32) -> Vec<String> {
        let mut all: Vec<String> = self.signals.reasons(tool).collect();
        if let Some(likeness) = self.evidence.likeness(tool).filter(|it| *it >= ALIKE) {
            all.push(format!("similar in meaning ({likeness:.2})"));
        }
        all.extend(
            self.evidence.asked.terms.iter().filter_map(|it| self.word(it, tool)).take(MOST),
        );
        all
    }

    /// The fields in which the tool has this word or a match for it.
    fn word(&self, term: &QueryTerm, tool: u32) -> Option<String> {
        let lexical = &self.index.known.lexical;
        let met = term.ways.iter().find_map(|way| Some((way, lexical.entry(tool, way.term)?)));
        let (way, entry) = met?;
        let fields: Vec<&str> = IndexField::ALL
            .iter()
            .filter(|it| entry.fields & it.bit() != 0)
            .map(|it| it.word())
            .collect();
        let place = fields.join(", ");
        let (asked, found) = (&term.word, || self.index.spelled(way.term));
        Some(match way.kind {
            TermMatchKind::Same => format!("`{asked}` in {place}"),
            TermMatchKind::Synonym => format!("`{}` (for `{asked}`) in {place}", found()),
            TermMatchKind::Near => format!("`{}` (you typed `{asked}`) in {place}", found()),
            TermMatchKind::Compound => format!("`{}` (as in `{asked}`) in {place}", found()),
        })
    }
}
