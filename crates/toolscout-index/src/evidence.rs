//! All that speaks for tools when a question is asked, before anybody weighs it.

use crate::asked::{QueryTerm, QueryTerms};
use crate::scores::LexicalScores;
use crate::{Index, Query};
use toolscout_core::ToolId;

/// What words, meaning and use say. By tool, where it is a list.
pub(crate) struct Evidence {
    pub(crate) asked: QueryTerms,
    pub(crate) words: LexicalScores,
    /// How alike; none where there is no encoder, not a number where a tool is not encoded yet.
    pub(crate) meaning: Option<Vec<f32>>,
    /// What earlier questions add, those tools of which they say something.
    pub(crate) lessons: Vec<(u32, f32)>,
    /// The approved tools whose name this is.
    pub(crate) named: Vec<u32>,
}

impl Evidence {
    pub(crate) fn of(index: &Index, query: &Query<'_>) -> Self {
        let (_, asked) = index.asked(query.text);
        Self {
            words: LexicalScores::of(&asked, &index.known.lexical),
            meaning: query.meaning.and_then(|it| index.known.vectors.similarities(it)),
            lessons: query.learned.map(|it| it.lessons(index, query.text, query.meaning)).unwrap_or_default(),
            named: named(index, &asked, &query.text.trim().to_lowercase()),
            asked,
        }
    }

    /// How alike question and tool are; none where that is not known.
    pub(crate) fn likeness(&self, tool: u32) -> Option<f32> {
        self.meaning.as_ref().map(|it| it[tool as usize]).filter(|it| !it.is_nan())
    }

    /// What earlier questions add to this tool.
    pub(crate) fn lesson(&self, tool: u32) -> Option<f32> {
        self.lessons.iter().find(|it| it.0 == tool).map(|it| it.1)
    }
}

/// That somebody calls a tool of theirs what others ask for earns them nothing. `text` is in lower case.
fn named(index: &Index, asked: &QueryTerms, text: &str) -> Vec<u32> {
    let same = |it: &QueryTerm| it.ways.first().map(|it| it.term);
    let rarest = asked.terms.iter().filter_map(same).min_by_key(|it| index.known.lexical.postings(*it).len());
    let Some(rarest) = rarest.filter(|_| !text.contains(char::is_whitespace)) else { return Vec::new() };
    let tools = index.known.lexical.postings(rarest).iter().map(|it| crate::lexical::unpacked(*it).0);
    tools.filter(|it| index.tools.is_approved(*it) && is_named(index.tools.id(*it), text)).collect()
}

fn is_named(id: &ToolId, text: &str) -> bool {
    let (source, name) = (id.source.as_str(), id.name.as_str().to_lowercase());
    let behind = text.strip_prefix(source).and_then(|it| it.strip_prefix("__").or(it.strip_prefix(['/', ':', '.'])));
    text == name || behind == Some(&name)
}
