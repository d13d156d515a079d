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
/// `knows` tests for words of the tools: a query in their words needs no translation.
pub(crate) fn in_english(text: &str, knows: impl Fn(&str) -> bool) -> Option<String> {
    let text = text.to_lowercase().replace(['’', '‘'], "'");
    if let Some(lexicon) = by_letters(&text) {
        return Some(lexicon.translated(&text)).filter(|it| !it.is_empty());
    }
    let asked = tokens(&text);
    if asked.is_empty()
        || asked.iter().filter(|it| is_stop(it) || knows(it)).count() * 2 > asked.len()
    {
        return None;
    }
    let best = LATIN.iter().map(|it| &**it).max_by_key(|it| it.known(&asked))?;
    is_foreign(&asked, best).then(|| best.translated(&text)).filter(|it| !it.is_empty())
}

/// Whether enough words belong to that language, so that it is not English with a foreign word.
fn is_foreign(asked: &[String], best: &Lexicon) -> bool {
    if let [word] = asked {
        return best.has_form(word) && !is_english(word);
    }
    let english = asked.iter().filter(|it| is_english(it)).count();
    let foreign = best.known(asked);
    foreign > english && foreign * 2 >= asked.len()
}

fn is_english(word: &str) -> bool {
    is_stop(word) || ENGLISH.contains(word)
}

/// All English words that translations use.
static ENGLISH: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    LATIN.iter().flat_map(|it| it.english.values()).flat_map(|it| it.split(' ')).collect()
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
fn by_letters(text: &str) -> Option<&'static Lexicon> {
    let mut has_han = false;
    for it in text.chars() {
        match u32::from(it) {
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
        let lines =
            text.lines().filter(|it| !it.starts_with('#')).filter_map(|it| it.split_once('\t'));
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
        let stem = |it: &String| {
            self.stemmer.as_ref().map_or_else(|| it.clone(), |by| by.stem(it).into_owned())
        };
        tokens.iter().map(stem).collect()
    }

    /// The number of these words that it knows.
    fn known(&self, asked: &[String]) -> usize {
        let is_known = |(word, stem): &(&String, String)| {
            self.english.contains_key(stem.as_str())
                || self.has_compounds && self.compound(word).is_some()
        };
        asked.iter().zip(self.stems(asked)).filter(is_known).count()
    }

    /// Whether this is exactly a word of the language, and not a stop word.
    fn has_form(&self, word: &str) -> bool {
        self.english.get(&format!("={word}")).is_some_and(|it| !it.is_empty())
            || self.has_compounds && self.compound(word).is_some()
    }

    fn translated(&self, text: &str) -> String {
        let mut english = Vec::new();
        match self.stemmer {
            Some(_) => self.by_words(&tokens(text), &mut english),
            None => self.by_characters(&words::fold(text), &mut english),
        }
        english.retain(|it| !it.is_empty());
        english.join(" ")
    }

    /// Translates the longest phrases first; an unknown word may be a compound of two known ones.
    fn by_words(&self, asked: &[String], english: &mut Vec<String>) {
        let stems = self.stems(asked);
        let mut at = 0;
        while at < stems.len() {
            let most = self.longest.min(stems.len() - at);
            let found = (1..=most)
                .rev()
                .find_map(|n| Some((n, *self.english.get(&stems[at..at + n].join(" "))?)));
            match found {
                Some((n, gloss)) => {
                    english.push(gloss.to_owned());
                    at += n;
                }
                None => {
                    let compound = self.has_compounds.then(|| self.compound(&asked[at])).flatten();
                    english.push(compound.unwrap_or_else(|| asked[at].clone()));
                    at += 1;
                }
            }
        }
    }

    /// `Rechnungsversand`: two known words, possibly with an `s` or `n` between them.
    fn compound(&self, word: &str) -> Option<String> {
        let gloss = |it: &str| {
            self.english.get(self.stemmer.as_ref()?.stem(it).as_ref()).filter(|it| !it.is_empty())
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
    fn by_characters(&self, text: &str, english: &mut Vec<String>) {
        let starts: Vec<usize> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (mut at, mut other) = (0, String::new());
        while at + 1 < starts.len() {
            let most = self.longest.min(starts.len() - 1 - at);
            let found = (1..=most)
                .rev()
                .find_map(|n| Some((n, *self.english.get(&text[starts[at]..starts[at + n]])?)));
            let here = text[starts[at]..].chars().next().unwrap_or(' ');
            let is_other = !is_dense(here) && here.is_alphanumeric();
            if !is_other && !other.is_empty() {
                english.push(std::mem::take(&mut other));
            }
            match found {
                Some((n, gloss)) if other.is_empty() => {
                    english.push(gloss.to_owned());
                    at += n;
                }
                _ => {
                    other.extend(is_other.then_some(here));
                    at += 1;
                }
            }
        }
        english.push(other);
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    words::each(text, |it| all.push(it.to_owned()));
    all
}
