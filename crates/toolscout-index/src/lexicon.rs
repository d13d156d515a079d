//! Translates queries to English word by word: no model, no network, some thousand words per
//! language.

use crate::stems::is_stop;
use crate::words::{self, is_dense};
use hashbrown::{HashMap, HashSet};
use rust_stemmers::{Algorithm, Stemmer};
use std::sync::LazyLock;

/// The query in English, if it is in a supported language; names and other words without a
/// translation stay.
///
/// `is_known` tests for words of the tools: a query in their words needs no translation.
pub(crate) fn in_english(text: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let text = text.to_lowercase().replace(['’', '‘'], "'");
    if let Some(lexicon) = by_script(&text) {
        return Some(lexicon.translate(&text)).filter(|value| !value.is_empty());
    }
    let words = tokens(&text);
    if words.is_empty()
        || words.iter().filter(|item| is_stop(item) || is_known(item)).count() * 2 > words.len()
    {
        return None;
    }
    let best = LATIN.iter().map(|latin| &**latin).max_by_key(|latin| latin.count_known(&words))?;
    is_foreign(&words, best).then(|| best.translate(&text)).filter(|value| !value.is_empty())
}

/// Whether enough words belong to that language, so that it is not English with a foreign word.
fn is_foreign(words: &[String], best: &Lexicon) -> bool {
    if let [word] = words {
        return best.has_form(word) && !is_english(word);
    }
    let english = words.iter().filter(|item| is_english(item)).count();
    let foreign = best.count_known(words);
    foreign > english && foreign * 2 >= words.len()
}

fn is_english(word: &str) -> bool {
    is_stop(word) || ENGLISH.contains(word)
}

/// All English words that translations use.
static ENGLISH: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    LATIN
        .iter()
        .flat_map(|latin| latin.english.values())
        .flat_map(|value| value.split(' '))
        .collect()
});

struct Lexicon {
    /// English by the stems of a phrase, separated by spaces; and by single words as written,
    /// prefixed with `=`. Empty for stop words.
    english: HashMap<String, &'static str>,
    stemmer: Option<Stemmer>,
    /// The length of the longest entry, in words or, without a stemmer, in characters.
    longest: usize,
    /// Whether the language joins words to compounds.
    has_compounds: bool,
}

macro_rules! lexicon {
    ($file:literal, $stemmer:expr) => {
        LazyLock::new(|| Lexicon::read(include_str!(concat!("lexicon/", $file, ".tsv")), $stemmer))
    };
}

static LATIN: [LazyLock<Lexicon>; 5] = [
    lexicon!("de", Some(Algorithm::German)),
    lexicon!("es", Some(Algorithm::Spanish)),
    lexicon!("fr", Some(Algorithm::French)),
    lexicon!("it", Some(Algorithm::Italian)),
    lexicon!("pt", Some(Algorithm::Portuguese)),
];
static RUSSIAN: LazyLock<Lexicon> = lexicon!("ru", Some(Algorithm::Russian));
static JAPANESE: LazyLock<Lexicon> = lexicon!("ja", None);
static CHINESE: LazyLock<Lexicon> = lexicon!("zh", None);
static KOREAN: LazyLock<Lexicon> = lexicon!("ko", None);

/// The language of the script, if the script determines it.
fn by_script(text: &str) -> Option<&'static Lexicon> {
    let mut has_han = false;
    for c in text.chars() {
        match u32::from(c) {
            0x3040..=0x30FF => return Some(&JAPANESE),
            0xAC00..=0xD7AF | 0x1100..=0x11FF => return Some(&KOREAN),
            0x0400..=0x052F => return Some(&RUSSIAN),
            0x3400..=0x9FFF => has_han = true,
            _ => {}
        }
    }
    has_han.then(|| &*CHINESE)
}

impl Lexicon {
    fn read(text: &'static str, algorithm: Option<Algorithm>) -> Self {
        let stemmer = algorithm.map(Stemmer::create);
        let has_compounds = matches!(algorithm, Some(Algorithm::German));
        let mut all = Self { english: HashMap::new(), stemmer, longest: 1, has_compounds };
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('\t'));
        for (gloss, forms) in lines {
            let gloss = if gloss == "-" { "" } else { gloss };
            for form in forms.split(',') {
                all.add(form.trim(), gloss);
            }
        }
        all
    }

    /// The first translation of a form wins, since it is the most common one.
    fn add(&mut self, form: &str, gloss: &'static str) {
        let (key, length) = match self.stemmer {
            Some(_) => {
                let words = tokens(form);
                if let [word] = words.as_slice() {
                    self.english.entry(format!("={word}")).or_insert(gloss);
                }
                (self.stems(&words).join(" "), words.len())
            }
            None => {
                let key = words::fold(form);
                let length = key.chars().count();
                (key, length)
            }
        };
        if length > 0 {
            self.longest = self.longest.max(length);
            self.english.entry(key).or_insert(gloss);
        }
    }

    fn stems(&self, tokens: &[String]) -> Vec<String> {
        let stem = |text: &String| {
            self.stemmer.as_ref().map_or_else(|| text.clone(), |by| by.stem(text).into_owned())
        };
        tokens.iter().map(stem).collect()
    }

    /// The number of these words that it knows.
    fn count_known(&self, words: &[String]) -> usize {
        let has_translation = |(word, stem): &(&String, String)| {
            self.english.contains_key(stem.as_str())
                || self.has_compounds && self.compound(word).is_some()
        };
        words.iter().zip(self.stems(words)).filter(has_translation).count()
    }

    /// Whether this is exactly a word of the language, and not a stop word.
    fn has_form(&self, word: &str) -> bool {
        self.english.get(&format!("={word}")).is_some_and(|english| !english.is_empty())
            || self.has_compounds && self.compound(word).is_some()
    }

    fn translate(&self, text: &str) -> String {
        let mut english = Vec::new();
        match self.stemmer {
            Some(_) => self.translate_words(&tokens(text), &mut english),
            None => self.translate_characters(&words::fold(text), &mut english),
        }
        english.retain(|item| !item.is_empty());
        english.join(" ")
    }

    /// Translates the longest phrases first; an unknown word may be a compound of two known ones.
    fn translate_words(&self, words: &[String], english: &mut Vec<String>) {
        let stems = self.stems(words);
        let mut at = 0;
        while at < stems.len() {
            let longest_match = self.longest.min(stems.len() - at);
            let found = (1..=longest_match)
                .rev()
                .find_map(|n| Some((n, *self.english.get(&stems[at..at + n].join(" "))?)));
            match found {
                Some((n, gloss)) => {
                    english.push(gloss.to_owned());
                    at += n;
                }
                None => {
                    let compound = self.has_compounds.then(|| self.compound(&words[at])).flatten();
                    english.push(compound.unwrap_or_else(|| words[at].clone()));
                    at += 1;
                }
            }
        }
    }

    /// `Rechnungsversand`: two known words, possibly with an `s` or `n` between them.
    fn compound(&self, word: &str) -> Option<String> {
        let gloss = |text: &str| {
            self.english
                .get(self.stemmer.as_ref()?.stem(text).as_ref())
                .filter(|english| !english.is_empty())
        };
        let cuts =
            word.char_indices().map(|(at, _)| at).filter(|at| *at >= 3 && *at + 3 <= word.len());
        cuts.rev().find_map(|at| {
            let (head, tail) = word.split_at(at);
            let head = gloss(head).or_else(|| gloss(head.strip_suffix(['s', 'n'])?))?;
            Some(format!("{head} {}", gloss(tail)?))
        })
    }

    /// Translates the longest entry at every position; skips unknown characters, but keeps words in
    /// other scripts.
    fn translate_characters(&self, text: &str, english: &mut Vec<String>) {
        let starts: Vec<usize> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (mut at, mut other) = (0, String::new());
        while at + 1 < starts.len() {
            let longest_match = self.longest.min(starts.len() - 1 - at);
            let found = (1..=longest_match)
                .rev()
                .find_map(|n| Some((n, *self.english.get(&text[starts[at]..starts[at + n]])?)));
            let current = text[starts[at]..].chars().next().unwrap_or(' ');
            let is_other = !is_dense(current) && current.is_alphanumeric();
            if !is_other && !other.is_empty() {
                english.push(std::mem::take(&mut other));
            }
            match found {
                Some((n, gloss)) if other.is_empty() => {
                    english.push(gloss.to_owned());
                    at += n;
                }
                _ => {
                    other.extend(is_other.then_some(current));
                    at += 1;
                }
            }
        }
        english.push(other);
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    words::for_each(text, |value| all.push(value.to_owned()));
    all
}
