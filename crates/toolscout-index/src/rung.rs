//! One reason for a score: what of a tool met a word, and what that is worth.

use crate::entry::SearchableText;
use std::fmt;

/// What a word met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rung<'a> {
    pub(crate) score: f64,
    word: &'a str,
    met: Met<'a>,
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
    pub(crate) fn new(score: f64, word: &'a str, met: Met<'a>) -> Self {
        Self { score, word, met }
    }

    /// The higher one; the first of two equals, so that reasons do not depend on chance.
    pub(crate) fn highest(rungs: impl IntoIterator<Item = Self>) -> Option<Self> {
        rungs.into_iter().reduce(|best, it| if it.score > best.score { it } else { best })
    }
}

/// As people read it in a list of reasons.
impl fmt::Display for Rung<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word;
        match self.met {
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

/// Whole words of the description count more than pieces of words.
pub(crate) fn in_description<'a>(word: &'a str, entry: &SearchableText) -> Option<Rung<'a>> {
    if !entry.description.contains(word) {
        return None;
    }
    let around: &[char] = &['.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '"', '\''];
    let whole = entry.description.split_whitespace().any(|it| it.trim_matches(around) == word);
    Some(if whole { Rung::new(0.6, word, Met::DescriptionWord) } else { Rung::new(0.5, word, Met::DescriptionPart) })
}

/// Near misses of the name or a keyword: asked only when nothing else met the word.
pub(crate) fn similar<'a>(word: &'a str, name: &'a str, entry: &'a SearchableText) -> Option<Rung<'a>> {
    let by_name = likeness(word, name).map(|it| Rung::new(it * 0.7, word, Met::LikeName(name)));
    let by_keyword = entry
        .keywords
        .iter()
        .filter_map(|keyword| Some(Rung::new(likeness(word, keyword)? * 0.6, word, Met::LikeKeyword(keyword))));
    Rung::highest(by_name.into_iter().chain(by_keyword))
}

/// How alike two words are, in characters, where they are alike enough to count.
fn likeness(left: &str, right: &str) -> Option<f64> {
    const ENOUGH: f64 = 0.6;
    let (short, long) = {
        let (left, right) = (left.chars().count(), right.chars().count());
        (left.min(right), left.max(right))
    };
    // At best every character of the shorter one stays: most pairs are told apart by their lengths alone.
    if short as f64 <= long as f64 * ENOUGH {
        return None;
    }
    Some(1.0 - strsim::levenshtein(left, right) as f64 / long as f64).filter(|it| *it > ENOUGH)
}
