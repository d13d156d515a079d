//! Tools whose name is the query itself come first, if their source is approved: an unapproved
//! source gains nothing from naming its tools after popular queries.

use super::{SignalInput, SignalScores};
use crate::Index;
use crate::asked::{QueryTerm, QueryTerms};
use toolscout_core::ToolId;

struct OwnName<'a> {
    index: &'a Index,
    named: Vec<u32>,
}

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    let SignalInput { index, query, asked, .. } = *input;
    Box::new(OwnName { index, named: named(index, asked, query.text) })
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
pub(crate) fn named(index: &Index, asked: &QueryTerms, text: &str) -> Vec<u32> {
    let text = text.trim().to_lowercase();
    let same = |it: &QueryTerm| it.ways.first().map(|it| it.term);
    let rarest = asked
        .terms
        .iter()
        .filter_map(same)
        .min_by_key(|it| index.known.lexical.postings(*it).len());
    let Some(rarest) = rarest.filter(|_| !text.contains(char::is_whitespace)) else {
        return Vec::new();
    };
    let tools =
        index.known.lexical.postings(rarest).iter().map(|it| crate::lexical::unpacked(*it).0);
    tools
        .filter(|it| index.tools.is_approved(*it) && is_named(index.tools.id(*it), &text))
        .collect()
}

/// Whether a lower-case text is the name of a tool, alone or qualified with its source id.
fn is_named(id: &ToolId, text: &str) -> bool {
    let (source, name) = (id.source.as_str(), id.name.as_str().to_lowercase());
    let behind = text
        .strip_prefix(source)
        .and_then(|it| it.strip_prefix("__").or(it.strip_prefix(['/', ':', '.'])));
    text == name || behind == Some(&name)
}
