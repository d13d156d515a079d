//! Recognizes poisoned texts by phrases with gaps.
//!
//! The phrases are in `phrases.txt`, in sections by purpose: to hide something from the user, to
//! access secrets, to exfiltrate them. One phrase is rarely conclusive, since honest authors write
//! "before using this tool" too; so each has a weight, a section counts once, and together they
//! must reach [`SEVERE_WEIGHT`].

use super::fields::TextPlace;
use super::words::{self, WordSequence};
use super::{Finding, FindingKind, Severity};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

/// Minimum weight of a text that instructs a model.
const SEVERE_WEIGHT: u32 = 8;
/// Minimum weight for a note.
const NOTE_WEIGHT: u32 = 5;
/// Maximum total weight of sections about tone, which honest authors use as well.
const MAX_TONE_WEIGHT: u32 = 4;

/// Added to the weight of a text in a place where honest authors put no prose at all.
const ODD_PLACE_WEIGHT: u32 = 3;

/// A description that begins with an act says what the tool itself does ("Read a secret from a
/// vault"), unless the phrase weighs more than this.
const MAX_PURPOSE_WEIGHT: u32 = 6;

/// The phrases recognized in one text. Each text is weighed alone: a long schema contains a little
/// of everything.
#[derive(Default)]
pub(super) struct PhraseMatches {
    /// By section: the weight of the heaviest phrase, and its excerpt.
    heaviest: BTreeMap<usize, (u32, String)>,
    is_odd_place: bool,
}

impl PhraseMatches {
    /// Searches for all phrases in a text.
    pub(super) fn find(text: &str, words: &WordSequence, place: TextPlace) -> Self {
        let is_key = place == TextPlace::Key;
        let is_odd_place = matches!(place, TextPlace::Label | TextPlace::Value);
        let mut matches = Self { is_odd_place, ..Self::default() };
        for found in PHRASES.find(words) {
            let section = &PHRASES.sections[found.section];
            // A property name is not a description: tone is irrelevant there, and an honest
            // name does not spell out an instruction.
            if (is_key && section.is_tone) || section.only.is_some_and(|only| only != place) {
                continue;
            }
            let is_purpose = place == TextPlace::Prose && found.words.start == 0;
            let is_weak = is_purpose && found.weight <= MAX_PURPOSE_WEIGHT;
            if section.is_act && (is_weak || is_negated(words, found.words.start)) {
                continue;
            }
            let weight = found.weight + if is_key && found.words.len() > 2 { 4 } else { 0 };
            matches
                .record(found.section, weight, || excerpt(text, words.source_range(found.words)));
        }
        matches
    }

    /// Searches for phrases that begin in one part of a text and end in another. `bounds` are the
    /// ends of the parts in bytes.
    pub(super) fn find_across(text: &str, words: &WordSequence, bounds: &[usize]) -> Self {
        let part = |at: usize| bounds.partition_point(|end| *end <= at);
        let mut matches = Self::default();
        for found in PHRASES.find(words) {
            let section = &PHRASES.sections[found.section];
            let range = words.source_range(found.words);
            let is_across = part(range.start) != part(range.end - 1);
            if is_across && !section.is_tone && section.only.is_none() {
                matches.record(found.section, found.weight, || excerpt(text, range));
            }
        }
        matches
    }

    /// Adds a match that was recognized by other means, under the section of this name.
    pub(super) fn add_to(&mut self, section: &str, weight: u32, excerpt: impl FnOnce() -> String) {
        if let Some(at) = PHRASES.sections.iter().position(|item| item.name == section) {
            self.record(at, weight, excerpt);
        }
    }

    fn record(&mut self, section: usize, weight: u32, excerpt: impl FnOnce() -> String) {
        let current = self.heaviest.get(&section).map_or(0, |(weight, _)| *weight);
        if weight > current {
            self.heaviest.insert(section, (weight, excerpt()));
        }
    }

    pub(super) fn weight(&self) -> u32 {
        let sum = |tone: bool| -> u32 {
            let of_tone = self
                .heaviest
                .iter()
                .filter(|(section, _)| PHRASES.sections[**section].is_tone == tone);
            of_tone.map(|(_, (weight, _))| *weight).sum()
        };
        let content = sum(false);
        let is_odd = self.is_odd_place && content >= NOTE_WEIGHT;
        content + sum(true).min(MAX_TONE_WEIGHT) + if is_odd { ODD_PLACE_WEIGHT } else { 0 }
    }

    /// One finding per section, if the total weight is sufficient.
    pub(super) fn findings(self) -> impl Iterator<Item = Finding> {
        let severity = match self.weight() {
            SEVERE_WEIGHT.. => Some(Severity::Severe),
            NOTE_WEIGHT.. => Some(Severity::Note),
            _ => None,
        };
        let heaviest = self.heaviest.into_values().map(|(_, excerpt)| excerpt);
        severity.into_iter().zip(std::iter::once(heaviest)).flat_map(|(severity, heaviest)| {
            heaviest.map(move |excerpt| Finding::new(FindingKind::Instructs, severity, excerpt))
        })
    }
}

/// Whether the word before this one says that what follows is not to be done.
fn is_negated(words: &WordSequence, at: usize) -> bool {
    const NEGATIONS: [&str; 6] = ["not", "never", "dont", "cannot", "nor", "without"];
    at > 0
        && words.sentence(at - 1) == words.sentence(at)
        && NEGATIONS.contains(&words.word(at - 1))
}

/// The text at this range with some context.
pub(super) fn excerpt(text: &str, at: Range<usize>) -> String {
    const CONTEXT_BYTES: usize = 24;
    const MAX_BYTES: usize = 160;
    let start = text.floor_char_boundary(at.start.saturating_sub(CONTEXT_BYTES));
    let end =
        text.ceil_char_boundary((at.end + CONTEXT_BYTES).min(text.len()).min(start + MAX_BYTES));
    let (before, after) =
        (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    format!("{before}{}{after}", text[start..end].trim())
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(include_str!("phrases.txt")));

/// All phrases, indexed for the search.
struct Phrases {
    sections: Vec<PhraseSection>,
    phrases: Vec<Phrase>,
    /// The ids of all words that occur in phrases.
    vocabulary: HashMap<String, u32>,
    /// By word id: the phrases that may begin with it.
    starts: Vec<Vec<usize>>,
}

struct PhraseSection {
    name: String,
    /// Whether the section is about tone rather than content.
    is_tone: bool,
    /// Whether it is about acts, which a text may also forbid or attribute to the tool.
    is_act: bool,
    /// The only place where it counts.
    only: Option<TextPlace>,
}

struct Phrase {
    section: usize,
    weight: u32,
    parts: Vec<PhrasePart>,
}

/// One of several words or sequences of words, after a gap.
struct PhrasePart {
    gap: Gap,
    /// Sorted, for binary search.
    choices: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
struct Gap {
    max_words: usize,
    crosses_sentences: bool,
}

/// A phrase found in a text.
struct PhraseMatch {
    section: usize,
    weight: u32,
    words: Range<usize>,
}

impl Phrases {
    fn find(&self, words: &WordSequence) -> Vec<PhraseMatch> {
        let ids: Vec<u32> = (0..words.len()).map(|at| self.id(words.word(at))).collect();
        let mut found = Vec::new();
        for at in 0..ids.len() {
            for phrase in self.starts.get(ids[at] as usize).into_iter().flatten() {
                let phrase = &self.phrases[*phrase];
                if let Some(end) = phrase.end(&ids, words, at) {
                    found.push(PhraseMatch {
                        section: phrase.section,
                        weight: phrase.weight,
                        words: at..end,
                    });
                }
            }
        }
        found
    }

    /// The id of a word; zero if no phrase contains it.
    fn id(&self, word: &str) -> u32 {
        self.vocabulary.get(word).copied().unwrap_or(0)
    }
}

impl Phrase {
    /// The end of the phrase if it begins here. Tracks all possible ends of a part at once, so that
    /// each part passes over the text only once.
    fn end(&self, ids: &[u32], words: &WordSequence, at: usize) -> Option<usize> {
        let mut ends = vec![at];
        for part in &self.parts {
            let mut next = Vec::new();
            for end in ends {
                let last = (end + part.gap.max_words).min(ids.len().checked_sub(1)?);
                for start in end..=last {
                    if start > at
                        && !part.gap.crosses_sentences
                        && words.sentence(start) != words.sentence(start.min(end) - 1)
                    {
                        break;
                    }
                    next.extend(part.lengths(&ids[start..]).map(|length| start + length));
                }
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        ends.first().copied()
    }
}

impl PhrasePart {
    /// The lengths of all choices that these words start with.
    fn lengths<'a>(&'a self, ids: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let first = ids.first().copied().unwrap_or(0);
        let from = self.choices.partition_point(|choice| choice[0] < first);
        let of_first = self.choices[from..].iter().take_while(move |choice| choice[0] == first);
        of_first.filter(|value| ids.starts_with(value)).map(Vec::len)
    }
}

/// Parses the phrase list. The list is part of the crate and tested; malformed entries are skipped.
impl Phrases {
    fn read(text: &str) -> Self {
        let mut phrases = Self {
            sections: Vec::new(),
            phrases: Vec::new(),
            vocabulary: HashMap::new(),
            starts: Vec::new(),
        };
        let mut classes: HashMap<&str, Vec<&str>> = HashMap::new();
        for line in
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some((name, choices)) =
                line.strip_prefix('@').and_then(|rest| rest.split_once('='))
            {
                let known = choices
                    .split('|')
                    .map(str::trim)
                    .flat_map(|part| expand(part, &classes))
                    .collect();
                classes.insert(name.trim(), known);
            } else if let Some(name) =
                line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            {
                let (name, kind) = name.split_once(", ").unwrap_or((name, ""));
                let only = match kind {
                    "key" => Some(TextPlace::Key),
                    "value" => Some(TextPlace::Value),
                    _ => None,
                };
                let (is_tone, is_act) = (kind == "tone", kind == "act");
                let name = name.to_owned();
                phrases.sections.push(PhraseSection { name, is_tone, is_act, only });
            } else if let Some((weight, phrase)) = line.split_once(' ') {
                phrases.add(weight.parse().unwrap_or(0), phrase, &classes);
            }
        }
        phrases.index();
        phrases
    }

    fn add(&mut self, weight: u32, phrase: &str, classes: &HashMap<&str, Vec<&str>>) {
        let (mut parts, mut gap) = (Vec::new(), Gap { max_words: 0, crosses_sentences: false });
        for word in phrase.split_whitespace() {
            match word {
                ".." => gap = Gap { max_words: 4, crosses_sentences: false },
                "..." => gap = Gap { max_words: 9, crosses_sentences: false },
                "...." => gap = Gap { max_words: 30, crosses_sentences: true },
                choices => {
                    let choices = choices.split('|').flat_map(|part| expand(part, classes));
                    let mut choices: Vec<_> = choices
                        .map(|choice| self.word_ids(choice))
                        .filter(|value| !value.is_empty())
                        .collect();
                    choices.sort();
                    parts.push(PhrasePart { gap, choices });
                    gap = Gap { max_words: 0, crosses_sentences: false };
                }
            }
        }
        let section = self.sections.len().saturating_sub(1);
        self.phrases.push(Phrase { section, weight, parts });
    }

    /// The word ids of one choice, split in the same way as the searched texts.
    fn word_ids(&mut self, choice: &str) -> Vec<u32> {
        match choice {
            "<mail>" => vec![self.intern(words::MAIL)],
            "<home>" => vec![self.intern(words::HOME)],
            _ => {
                let words = WordSequence::split(&choice.replace('_', " "));
                (0..words.len()).map(|at| self.intern(words.word(at))).collect()
            }
        }
    }

    fn intern(&mut self, word: &str) -> u32 {
        let next = u32::try_from(self.vocabulary.len() + 1).unwrap_or(0);
        *self.vocabulary.entry(word.to_owned()).or_insert(next)
    }

    fn index(&mut self) {
        self.starts = vec![Vec::new(); self.vocabulary.len() + 1];
        for (at, phrase) in self.phrases.iter().enumerate() {
            for choice in phrase.parts.first().into_iter().flat_map(|part| &part.choices) {
                let start = &mut self.starts[choice[0] as usize];
                if start.last() != Some(&at) {
                    start.push(at);
                }
            }
        }
    }
}

fn expand<'a>(choice: &'a str, classes: &HashMap<&str, Vec<&'a str>>) -> Vec<&'a str> {
    match choice.strip_prefix('@') {
        Some(class) => classes.get(class).cloned().unwrap_or_default(),
        None => vec![choice],
    }
}
