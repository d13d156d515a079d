//! A tool as input of the index, and its terms.

use crate::fields::{IndexField, saturate};
use crate::parameters::Parameters;
use crate::stems::Stems;
use crate::vocabulary::NewTerms;
use crate::words;
use hashbrown::HashMap;
use std::sync::Arc;
use toolscout_core::Tool;

/// A tool to index.
#[derive(Debug, Clone, Copy)]
pub struct ToolDocument<'a> {
    /// The tool.
    pub tool: &'a Arc<Tool>,
    /// Identifies the searchable text of the tool: while it is unchanged, the tool is not indexed
    /// again.
    pub stamp: TextStamp,
    /// Whether a user approved the tool's source. Unapproved sources get a lower rank.
    pub is_approved: bool,
    /// The source's description of itself; may be empty.
    pub source_description: &'a str,
}

/// Identifies a text. The creator of a stamp guarantees that two texts never share one.
pub type TextStamp = u128;

/// A term in a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TermEntry {
    pub(crate) term: u32,
    /// The weight of the term in the tool, in 255ths.
    pub(crate) impact: u8,
    /// The fields that contain it, as bits of [`IndexField`].
    pub(crate) fields: u8,
}

/// Extracts terms from tools; caches words, since similar tools use the same ones.
pub(crate) struct DocumentReader<'a> {
    stems: &'a Stems,
    pub(crate) terms: NewTerms,
    /// Term number by word; none for a stop word.
    known: HashMap<Box<str>, Option<u32>>,
    /// Term, weight and field of each word of one tool.
    scratch: Vec<(u32, f32, u8)>,
    field: Vec<u32>,
}

/// Maximum number of words of a field; longer text is not a description.
const MAX_WORDS: usize = 1000;
/// Maximum number of times that a word counts in one field.
const MAX_REPEATS: usize = 6;

impl<'a> DocumentReader<'a> {
    pub(crate) fn new(stems: &'a Stems) -> Self {
        Self {
            stems,
            terms: NewTerms::default(),
            known: HashMap::new(),
            scratch: Vec::new(),
            field: Vec::new(),
        }
    }

    /// The tool's terms, with term numbers local to this reader.
    pub(crate) fn read(&mut self, document: &ToolDocument<'_>, into: &mut Vec<TermEntry>) {
        let tool = document.tool;
        let parameters = Parameters::read(tool.input_schema.as_str());
        self.scratch.clear();
        self.add(IndexField::Name, [tool.id.name.as_str()]);
        self.add(IndexField::Source, [tool.id.source.as_str()]);
        self.add(IndexField::Title, tool.title.as_deref());
        self.add(IndexField::Description, tool.description.as_deref());
        self.add(IndexField::Keywords, tool.keywords.iter().map(String::as_str));
        self.add(IndexField::ParameterNames, [parameters.names.as_str()]);
        self.add(IndexField::Parameters, [parameters.texts.as_str()]);
        self.add(IndexField::About, [document.source_description]);
        self.merge(into);
    }

    fn add<'t>(&mut self, field: IndexField, texts: impl IntoIterator<Item = &'t str>) {
        let mut found = std::mem::take(&mut self.field);
        found.clear();
        for text in texts {
            words::for_each(text, |word| {
                if found.len() < MAX_WORDS {
                    found.extend(self.number(word));
                }
            });
        }
        let weight = field.weight_of_one(found.len());
        found.sort_unstable();
        for same in found.chunk_by(|one, other| one == other) {
            self.scratch.push((same[0], weight * same.len().min(MAX_REPEATS) as f32, field.bit()));
        }
        self.field = found;
    }

    fn number(&mut self, word: &str) -> Option<u32> {
        if let Some(number) = self.known.get(word) {
            return *number;
        }
        let number = self.stems.term(word).map(|term| self.terms.number(&term));
        self.known.insert(word.into(), number);
        number
    }

    fn merge(&mut self, into: &mut Vec<TermEntry>) {
        self.scratch.sort_by_key(|(term, _, _)| *term);
        for same in self.scratch.chunk_by(|one, other| one.0 == other.0) {
            let weight: f32 = same.iter().map(|same| same.1).sum();
            let fields = same.iter().fold(0, |all, same| all | same.2);
            let impact = (saturate(weight) * 255.0).round().clamp(1.0, 255.0) as u8;
            into.push(TermEntry { term: same[0].0, impact, fields });
        }
    }
}
