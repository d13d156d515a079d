//! The inverted index: the terms of each tool, and the tools of each term.

use crate::document::{DocumentReader, TermEntry, TextStamp, ToolDocument};
use crate::stems::Stems;
use crate::vocabulary::TermVocabulary;
use hashbrown::HashMap;

/// The terms of all tools. A tool is identified by its position in the input.
///
/// The weight of a term in a tool depends on that tool alone, so entries of unchanged tools are
/// copied, and the result is the same as that of a full build.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lexical {
    pub(crate) vocabulary: TermVocabulary,
    pub(crate) stamps: Vec<TextStamp>,
    /// The end of each tool's entries.
    pub(crate) ends: Vec<u32>,
    /// Each tool's terms, ascending: the term number, and its impact in the low eight bits.
    pub(crate) entries: Vec<u32>,
    /// The fields that contain each of them.
    pub(crate) fields: Vec<u8>,
    /// The end of each term's postings.
    pub(crate) term_ends: Vec<u32>,
    /// Each term's tools, ascending: the tool number, and the impact in the low eight bits.
    pub(crate) postings: Vec<u32>,
}

/// Packs a number and an impact into 32 bits.
fn pack(number: u32, impact: u8) -> u32 {
    number << 8 | u32::from(impact)
}

pub(crate) fn unpack(number: u32) -> (u32, u8) {
    (number >> 8, number as u8)
}

/// Maximum number of tools and terms, because numbers have 24 bits.
const MAX_NUMBER: usize = 1 << 24;

impl Lexical {
    /// Indexes the tools that `before` does not contain.
    pub(crate) fn build<'a>(
        before: &Self,
        stems: &Stems,
        documents: impl Iterator<Item = ToolDocument<'a>>,
    ) -> Self {
        let known: HashMap<TextStamp, u32> =
            before.stamps.iter().zip(0..).map(|(stamp, at)| (*stamp, at)).collect();
        let mut is_used = vec![false; before.vocabulary.len()];
        let mut reader = DocumentReader::new(stems);
        let (mut stamps, mut new_entries, mut locations) = (Vec::new(), Vec::new(), Vec::new());
        for document in documents.take(MAX_NUMBER) {
            stamps.push(document.stamp);
            locations.push(match known.get(&document.stamp) {
                Some(&at) => {
                    before.terms_of(at).for_each(|item| is_used[item.term as usize] = true);
                    EntryOrigin::Known(at)
                }
                None => {
                    let start = new_entries.len();
                    reader.read(&document, &mut new_entries);
                    EntryOrigin::Fresh(start, new_entries.len())
                }
            });
        }
        let (vocabulary, known_numbers, new_numbers) =
            TermVocabulary::merged(&before.vocabulary, &is_used, &reader.terms);
        let mut next = Self { vocabulary, stamps, ..Self::default() };
        for location in locations {
            match location {
                EntryOrigin::Known(at) => {
                    next.push(before.terms_of(at).map(|value| TermEntry {
                        term: known_numbers[value.term as usize],
                        ..value
                    }))
                }
                EntryOrigin::Fresh(start, end) => {
                    let entries = &mut new_entries[start..end];
                    entries
                        .iter_mut()
                        .for_each(|entry| entry.term = new_numbers[entry.term as usize]);
                    entries.sort_unstable_by_key(|entry| entry.term);
                    next.push(entries.iter().copied());
                }
            }
        }
        next.entries.shrink_to_fit();
        next.fields.shrink_to_fit();
        next.invert();
        next
    }

    /// Whether all numbers are in range, since data read from a file may be anything.
    pub(crate) fn is_consistent(&self) -> bool {
        let ends_at = |ends: &[u32], end: usize| {
            ends.is_sorted() && ends.last().map_or(0, |end| *end as usize) == end
        };
        let below = |numbers: &[u32], most: usize| {
            numbers.iter().all(|number| (unpack(*number).0 as usize) < most)
        };
        self.vocabulary.is_consistent()
            && (self.ends.len(), self.term_ends.len()) == (self.stamps.len(), self.vocabulary.len())
            && (self.fields.len(), self.postings.len()) == (self.entries.len(), self.entries.len())
            && ends_at(&self.ends, self.entries.len())
            && ends_at(&self.term_ends, self.postings.len())
            && below(&self.entries, self.vocabulary.len())
            && below(&self.postings, self.stamps.len())
    }

    /// The number of tools.
    pub(crate) fn len(&self) -> usize {
        self.stamps.len()
    }

    /// The tools that have this term, with their impacts.
    pub(crate) fn postings(&self, term: u32) -> &[u32] {
        &self.postings[span(&self.term_ends, term)]
    }

    /// The terms of a tool.
    pub(crate) fn terms_of(&self, tool: u32) -> impl Iterator<Item = TermEntry> {
        let span = span(&self.ends, tool);
        self.entries[span.clone()].iter().zip(&self.fields[span]).map(|(entry, fields)| {
            let (term, impact) = unpack(*entry);
            TermEntry { term, impact, fields: *fields }
        })
    }

    /// The entry of a term in a tool.
    pub(crate) fn entry(&self, tool: u32, term: u32) -> Option<TermEntry> {
        let span = span(&self.ends, tool);
        let at =
            self.entries[span.clone()].binary_search_by_key(&term, |item| unpack(*item).0).ok()?;
        let (_, impact) = unpack(self.entries[span.start + at]);
        Some(TermEntry { term, impact, fields: self.fields[span.start + at] })
    }

    fn push(&mut self, entries: impl Iterator<Item = TermEntry>) {
        for entry in entries {
            self.entries.push(pack(entry.term, entry.impact));
            self.fields.push(entry.fields);
        }
        self.ends.push(self.entries.len() as u32);
    }

    fn invert(&mut self) {
        let mut next = vec![0u32; self.vocabulary.len() + 1];
        for entry in &self.entries {
            next[unpack(*entry).0 as usize + 1] += 1;
        }
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        self.term_ends = next[1..].to_vec();
        self.postings = vec![0; self.entries.len()];
        for tool in 0..self.ends.len() as u32 {
            for entry in &self.entries[span(&self.ends, tool)] {
                let (term, impact) = unpack(*entry);
                let at = &mut next[term as usize];
                self.postings[*at as usize] = pack(tool, impact);
                *at += 1;
            }
        }
    }
}

/// The location of a tool's entries before the merge.
enum EntryOrigin {
    Known(u32),
    Fresh(usize, usize),
}

fn span(ends: &[u32], at: u32) -> std::ops::Range<usize> {
    let at = at as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    start as usize..ends[at] as usize
}
