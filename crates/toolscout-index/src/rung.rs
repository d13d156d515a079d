//! One step of a ladder: which part of a tool matches a word, and the score of that.

use crate::entry::SearchableText;
use std::fmt;

/// The match of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rung<'a> {
    pub(crate) score: f64,
    word: &'a str,
    kind: Met<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Met<'a> {
    WholeName,
    NameStart,
    NameWord,
    NameWordStart,
    NamePart,
    Keyword,
    KeywordPart(&'a str),
    DescriptionWord,
    DescriptionPart,
    LikeName(&'a str),
    LikeKeyword(&'a str),
}

impl<'a> Rung<'a> {
    pub(crate) fn new(score: f64, word: &'a str, kind: Met<'a>) -> Self {
        Self { score, word, kind }
    }

    /// The highest rung; the first of equals, so that reasons are deterministic.
    pub(crate) fn highest(rungs: impl IntoIterator<Item = Self>) -> Option<Self> {
        rungs.into_iter().reduce(|best, rung| if rung.score > best.score { rung } else { best })
    }
}

/// The text in a list of reasons.
impl fmt::Display for Rung<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word;
        match self.kind {
            Met::WholeName => write!(f, "name is `{word}`"),
            Met::NameStart => write!(f, "name starts with `{word}`"),
            Met::NameWord => write!(f, "name has the word `{word}`"),
            Met::NameWordStart => write!(f, "a word of the name starts with `{word}`"),
            Met::NamePart => write!(f, "name has `{word}`"),
            Met::Keyword => write!(f, "keyword `{word}`"),
            Met::KeywordPart(keyword) => write!(f, "keyword `{keyword}` has `{word}`"),
            Met::DescriptionWord => write!(f, "description has the word `{word}`"),
            Met::DescriptionPart => write!(f, "description has `{word}`"),
            Met::LikeName(name) => write!(f, "`{word}` is similar to name `{name}`"),
            Met::LikeKeyword(keyword) => write!(f, "`{word}` is similar to keyword `{keyword}`"),
        }
    }
}

/// Whole words of the description score higher than parts of words.
pub(crate) fn in_description<'a>(word: &'a str, entry: &SearchableText) -> Option<Rung<'a>> {
    if !entry.description.contains(word) {
        return None;
    }
    let punctuation: &[char] =
        &['.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '"', '\''];
    let is_whole_word =
        entry.description.split_whitespace().any(|item| item.trim_matches(punctuation) == word);
    Some(if is_whole_word {
        Rung::new(0.6, word, Met::DescriptionWord)
    } else {
        Rung::new(0.5, word, Met::DescriptionPart)
    })
}

/// Similar spellings of the name or a keyword; used only if nothing else matches the word.
pub(crate) fn similar_spelling<'a>(
    word: &'a str,
    name: &'a str,
    entry: &'a SearchableText,
) -> Option<Rung<'a>> {
    let by_name = similarity(word, name)
        .map(|similarity| Rung::new(similarity * 0.7, word, Met::LikeName(name)));
    let by_keyword = entry.keywords.iter().filter_map(|keyword| {
        Some(Rung::new(similarity(word, keyword)? * 0.6, word, Met::LikeKeyword(keyword)))
    });
    Rung::highest(by_name.into_iter().chain(by_keyword))
}

/// The similarity of two words by characters; none if it is too low to count.
fn similarity(left: &str, right: &str) -> Option<f64> {
    const MIN_SIMILARITY: f64 = 0.6;
    let (short, long) = {
        let (left, right) = (left.chars().count(), right.chars().count());
        (left.min(right), left.max(right))
    };
    // The distance is at least the difference in length, so the lengths alone exclude most pairs.
    if short as f64 <= long as f64 * MIN_SIMILARITY {
        return None;
    }
    Some(1.0 - strsim::levenshtein(left, right) as f64 / long as f64)
        .filter(|value| *value > MIN_SIMILARITY)
}
