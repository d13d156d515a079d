//! The phrases that the prose check reports, with what to write instead.

use crate::source_text::Passage;
use std::collections::HashMap;

/// A group of phrases with one suggestion.
pub(super) struct Phrase {
    /// Patterns separated by `;`. A pattern is a list of words, with alternatives as in `a|b`;
    /// `*s` is any word that ends with `s`, `^` the start of a sentence, and `,` a comma.
    pub(super) patterns: &'static str,
    pub(super) suggestion: &'static str,
    /// How many are allowed among 10,000 words. 0 for phrases that are never right; those that are
    /// right now and then have a budget instead.
    pub(super) budget: usize,
}

const fn retired(patterns: &'static str, suggestion: &'static str) -> Phrase {
    Phrase { patterns, suggestion, budget: 0 }
}

pub(super) const PHRASES: &[Phrase] = &[
    Phrase {
        patterns: "what is|was|are|were|it|a|the|they|nobody|somebody|can|has|comes|came|there",
        suggestion: "name the thing",
        budget: 10,
    },
    Phrase {
        patterns: "told|said|asked|meant|tells|says|asks",
        suggestion: "use the verb of the trade: report, emit, print, request, query, specify",
        budget: 10,
    },
    Phrase {
        patterns: ", where; where it|that|there|one|nobody|nothing|none|they|somebody",
        suggestion: "if",
        budget: 10,
    },
    retired(
        "nobody|somebody|everybody|anybody|whoever|whom|whomever",
        "name the actor: the client, the server, the operator, a user",
    ),
    retired(
        "for|to|by|of|as|than|from|with who; ^ who|whoever *s; who asks|comes|looks",
        "name the actor: the client, the server, the operator, a user",
    ),
    retired("witness|witnesses|witnessed", "observer, event sink"),
    retired("those who look on; looks on; look on; ear|ears", "observer"),
    retired("desk|desks|scribe|scribes", "worker, batch writer"),
    retired("anew", "again"),
    retired("mend|mends|mended|mending", "fix, repair"),
    retired("meanwhile", "in the meantime, while …"),
    retired("a|the|no|my|your yes; say|says yes; a|the no|nay to", "approval, approve, reject"),
    retired("lesson|lessons|taught", "feedback, feedback record, learned"),
    retired("imprint|imprints", "fingerprint"),
    retired("edition|editions", "revision; version"),
    retired(
        "held tool|tools|definition|definitions|call|calls; \
         tool|tools|definition|definitions|they is|are|was|were held; held back; held for review",
        "quarantined, pending review; pending approval",
    ),
    retired("shelf|shelves", "namespace, table"),
    retired("wish|wishes|wished", "request, reload request"),
    retired("door|doors", "authorization; remote gateway"),
    retired(
        "rooms|house|houses; a|the|each|this|one|own|inside|between|which room",
        "crate; workspace, repository",
    ),
    retired("errand|errands", "task"),
    retired("ghost|ghosts|seat|seats", "request attribution"),
    retired("page|pages for people", "the web UI, the dashboard"),
    retired("being studied; at rest; to rest", "indexing; idle; drained"),
    retired("vouch|vouches|vouched", "issue, sign, authenticate"),
    retired(
        "lest|thereof|whence|wherein|whereupon|hither|thither|hitherto|henceforth|nay|behold|\
         befall|befalls",
        "use a current word",
    ),
];

/// A phrase in a passage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The index in the list of phrases.
    pub(super) phrase: usize,
    pub(super) line: usize,
    /// The words as they are written, in lower case.
    pub(super) words: String,
}

/// Finds phrases in passages.
pub(super) struct PhraseFinder {
    /// By the first word of a pattern: the phrase, and the pattern's elements.
    by_first: HashMap<&'static str, Vec<(usize, Vec<&'static str>)>>,
}

impl PhraseFinder {
    pub(super) fn new(phrases: &'static [Phrase]) -> Self {
        let mut by_first: HashMap<_, Vec<_>> = HashMap::new();
        for (index, phrase) in phrases.iter().enumerate() {
            for pattern in phrase.patterns.split(';') {
                let elements: Vec<&str> = pattern.split_whitespace().collect();
                for first in elements.first().into_iter().flat_map(|first| first.split('|')) {
                    by_first.entry(first).or_default().push((index, elements.clone()));
                }
            }
        }
        Self { by_first }
    }

    /// The phrases of a passage, and how many words it has.
    pub(super) fn find(&self, passage: &Passage) -> (Vec<Found>, usize) {
        let tokens = tokens(passage);
        let mut found = Vec::new();
        // The end of the last match of each phrase: matches do not overlap.
        let mut ends: HashMap<usize, usize> = HashMap::new();
        for at in 0..tokens.len() {
            for (phrase, elements) in self.by_first.get(tokens[at].0.as_str()).into_iter().flatten()
            {
                let Some(window) = tokens.get(at..at + elements.len()) else { continue };
                let mut pairs = window.iter().zip(elements);
                let is_match = pairs.all(|((word, _), element)| fits(word, element));
                if is_match && ends.get(phrase).is_none_or(|end| *end <= at) {
                    ends.insert(*phrase, at + elements.len());
                    let line = window[0].1;
                    let words =
                        window.iter().map(|(word, _)| word.as_str()).filter(|word| *word != "^");
                    let words = words.collect::<Vec<_>>().join(" ");
                    found.push(Found { phrase: *phrase, line, words });
                }
            }
        }
        let words =
            tokens.iter().filter(|(word, _)| word.starts_with(char::is_alphanumeric)).count();
        (found, words)
    }
}

fn fits(word: &str, element: &str) -> bool {
    element.split('|').any(|option| match option.strip_prefix('*') {
        Some(end) => word.len() > end.len() && word.ends_with(end),
        None => word == option,
    })
}

/// Words in lower case, commas, and starts of sentences, each with its line. Code between
/// backticks is one token that matches nothing.
fn tokens(passage: &Passage) -> Vec<(String, usize)> {
    let mut tokens = vec![("^".to_owned(), passage.line)];
    let mut word = String::new();
    let mut is_code = false;
    let mut line = passage.line;
    let mut is_blank = false;
    for letter in passage.text.chars().chain(['\n']) {
        if letter == '\n' && std::mem::replace(&mut is_blank, letter == '\n') {
            is_code = false;
            tokens.push(("^".to_owned(), line));
        }
        is_blank &= letter.is_whitespace();
        let is_part = letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-' | '_');
        if is_part && !is_code {
            word.extend(letter.to_lowercase());
            continue;
        }
        if word.contains(char::is_alphanumeric) {
            tokens.push((std::mem::take(&mut word), line));
        }
        word.clear();
        match letter {
            '\n' => line += 1,
            '`' => {
                is_code = !is_code;
                tokens.push(("`".to_owned(), line));
            }
            _ if is_code => {}
            '.' | ';' | ':' | '!' | '?' | '|' => tokens.push(("^".to_owned(), line)),
            ',' => tokens.push((",".to_owned(), line)),
            _ => {}
        }
    }
    tokens
}
