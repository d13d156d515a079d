//! Tools whose name is the query itself come first, if their source is approved: an unapproved
//! source gains nothing from naming its tools after popular queries.

use super::{SignalInput, SignalScores};
use crate::Index;
use crate::query_terms::{QueryTerm, QueryTerms};
use toolscout_core::ToolId;

struct OwnName<'a> {
    index: &'a Index,
    named: Vec<u32>,
}

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    let SignalInput { index, query, terms, .. } = *input;
    Box::new(OwnName { index, named: named(index, terms, query.text) })
}

impl SignalScores for OwnName<'_> {
    fn certain(&self) -> &[u32] {
        &self.named
    }

    fn score(&self, tool: u32, score: f64, _: f64) -> f64 {
        if self.named.contains(&tool) { 1.0 } else { score }
    }

    fn reason(&self, tool: u32) -> Option<String> {
        self.named.contains(&tool).then(|| format!("name is `{}`", self.index.tools.id(tool).name))
    }
}

/// The approved tools with this name.
pub(crate) fn named(index: &Index, query_terms: &QueryTerms, text: &str) -> Vec<u32> {
    let text = text.trim().to_lowercase();
    let first_match =
        |query_term: &QueryTerm| query_term.matches.first().map(|term_match| term_match.term);
    let rarest = query_terms
        .terms
        .iter()
        .filter_map(first_match)
        .min_by_key(|first_match| index.data.lexical.postings(*first_match).len());
    let Some(rarest) = rarest.filter(|_| !text.contains(char::is_whitespace)) else {
        return Vec::new();
    };
    let tools = index
        .data
        .lexical
        .postings(rarest)
        .iter()
        .map(|posting| crate::lexical::unpack(*posting).0);
    tools
        .filter(|tool| index.tools.is_approved(*tool) && is_named(index.tools.id(*tool), &text))
        .collect()
}

/// Whether a lower-case text is the name of a tool, alone or qualified with its source id.
fn is_named(id: &ToolId, text: &str) -> bool {
    let (source, name) = (id.source.as_str(), id.name.as_str().to_lowercase());
    let qualified_name = text
        .strip_prefix(source)
        .and_then(|rest| rest.strip_prefix("__").or(rest.strip_prefix(['/', ':', '.'])));
    text == name || qualified_name == Some(&name)
}
