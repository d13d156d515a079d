//! Splits a text into words as a model would read them, even if they are disguised.
//!
//! Letters are folded; escapes that a model understands (`%20`, `&#105;`, `\u0069`) are decoded;
//! `1gn0re` and `i g n o r e` become one plain word. Every word keeps its position in the original
//! text.

use super::fold::{fold, is_invisible};
use std::ops::Range;

/// The word that marks a mail address.
pub(super) const MAIL: &str = "@";
/// The word that marks a path beginning with `~/.`.
pub(super) const HOME: &str = "~";

/// The words of one text, in order.
pub(super) struct WordSequence {
    folded: String,
    words: Vec<WordSpan>,
}

struct WordSpan {
    /// The range in the folded text.
    folded: Range<usize>,
    /// The range in the original text.
    source: Range<usize>,
    sentence: u32,
}

impl WordSequence {
    /// The words of a text.
    pub(super) fn split(text: &str) -> Self {
        WordSplitter::new(text, false).run()
    }

    /// The words of a key: `contentOfFile` has three.
    pub(super) fn split_key(text: &str) -> Self {
        WordSplitter::new(text, true).run()
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn word(&self, at: usize) -> &str {
        &self.folded[self.words[at].folded.clone()]
    }

    pub(super) fn sentence(&self, at: usize) -> u32 {
        self.words[at].sentence
    }

    /// The range of these words in the original text.
    pub(super) fn source_range(&self, words: Range<usize>) -> Range<usize> {
        self.words[words.start].source.start..self.words[words.end - 1].source.end
    }
}

/// Splits a text in one pass.
struct WordSplitter<'a> {
    text: &'a str,
    splits_camel_case: bool,
    folded: String,
    words: Vec<WordSpan>,
    /// The start of the current word, folded and original; `None` between words.
    open: Option<(usize, usize)>,
    has_letter: bool,
    has_digit: bool,
    sentence: u32,
    /// Line feeds since the last character that was not white space.
    breaks: u32,
}

impl<'a> WordSplitter<'a> {
    fn new(text: &'a str, splits_camel_case: bool) -> Self {
        let folded = String::with_capacity(text.len());
        Self {
            text,
            splits_camel_case,
            folded,
            words: Vec::new(),
            open: None,
            has_letter: false,
            has_digit: false,
            sentence: 0,
            breaks: 0,
        }
    }

    fn run(mut self) -> WordSequence {
        let (mut at, mut before) = (0, ' ');
        while let Some((letter, length)) = next_char(&self.text[at..]) {
            let next = self.text[at + length..].chars().next().unwrap_or(' ');
            self.push_char(letter, at, before, next);
            at += length;
            if !is_invisible(letter) {
                before = letter;
            }
        }
        self.close_word(at);
        join_spelled_words(&mut self.words, &mut self.folded, self.text);
        WordSequence { folded: self.folded, words: self.words }
    }

    fn push_char(&mut self, letter: char, at: usize, before: char, next: char) {
        if is_invisible(letter) || (is_apostrophe(letter) && self.open.is_some()) {
            return;
        }
        if is_ideograph(letter) {
            self.close_word(at);
            self.open_word(at);
            fold(letter, &mut self.folded);
            self.close_word(at + letter.len_utf8());
        } else if letter.is_alphanumeric() {
            if self.splits_camel_case && before.is_lowercase() && letter.is_uppercase() {
                self.close_word(at);
            }
            self.open_word(at);
            fold(letter, &mut self.folded);
            self.has_letter |= letter.is_alphabetic();
            self.has_digit |= letter.is_ascii_digit();
        } else if letter == '.'
            && !before.is_alphanumeric()
            && before != '.'
            && next.is_ascii_alphabetic()
        {
            // The leading dot of `.ssh` is significant.
            self.close_word(at);
            self.open_word(at);
            self.folded.push('.');
        } else {
            self.close_word(at);
            self.push_marker(letter, at, next);
            self.note_separator(letter, next);
        }
    }

    /// Adds a marker word for mail addresses and home paths.
    fn push_marker(&mut self, letter: char, at: usize, next: char) {
        let marker = match letter {
            '@' if next.is_ascii_alphanumeric()
                && self.words.last().is_some_and(|word| word.source.end == at) =>
            {
                MAIL
            }
            '~' if self.text[at..]
                .strip_prefix("~/.")
                .is_some_and(|rest| rest.starts_with(char::is_alphabetic)) =>
            {
                HOME
            }
            _ => return,
        };
        let start = self.folded.len();
        self.folded.push_str(marker);
        let folded = start..self.folded.len();
        self.words.push(WordSpan { folded, source: at..at + 1, sentence: self.sentence });
    }

    /// Detects the end of a sentence: a full stop, a blank line, the next item of a list.
    fn note_separator(&mut self, letter: char, next: char) {
        match letter {
            '\n' => self.breaks += 1,
            '.' | '!' | '?' | ';' if next.is_whitespace() || next == '<' => self.sentence += 1,
            '。' | '！' | '？' | '；' => self.sentence += 1,
            '-' | '*' | '•' if self.breaks > 0 && next.is_whitespace() => self.sentence += 1,
            _ => {}
        }
        if self.breaks == 2 {
            self.sentence += 1;
        }
        if !letter.is_whitespace() || self.breaks >= 2 {
            self.breaks = 0;
        }
    }

    fn open_word(&mut self, at: usize) {
        self.breaks = 0;
        if self.open.is_none() {
            self.open = Some((self.folded.len(), at));
        }
    }

    fn close_word(&mut self, at: usize) {
        let Some((start, source_start)) = self.open.take() else { return };
        if self.has_letter && self.has_digit {
            let plain: String = self.folded[start..].chars().map(undo_leetspeak).collect();
            self.folded.truncate(start);
            self.folded.push_str(&plain);
        }
        (self.has_letter, self.has_digit) = (false, false);
        let folded = start..self.folded.len();
        if !folded.is_empty() {
            self.words.push(WordSpan { folded, source: source_start..at, sentence: self.sentence });
        }
    }
}

/// The next letter as a model reads it, and its length in bytes in the original text.
fn next_char(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    let escaped = match first {
        '%' => parse_code(text, 1, 2, 16).map(|c| (c, 3)),
        '\\' if text[1..].starts_with("u{") => braced_code(text),
        '\\' if text[1..].starts_with('u') => parse_code(text, 2, 4, 16).map(|c| (c, 6)),
        '\\' if text[1..].starts_with('x') => parse_code(text, 2, 2, 16).map(|c| (c, 4)),
        '&' => entity(text),
        _ => None,
    };
    Some(escaped.unwrap_or((first, first.len_utf8())))
}

fn parse_code(text: &str, from: usize, digits: usize, radix: u32) -> Option<char> {
    let digits = text.get(from..from + digits)?;
    let is_code = digits.chars().all(|c| c.is_digit(radix));
    char::from_u32(u32::from_str_radix(digits, radix).ok().filter(|_| is_code)?)
}

/// `\u{69}`, with one to six digits.
fn braced_code(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(10).position(|byte| byte == b'}')?;
    Some((parse_code(text, 3, end - 3, 16)?, end + 1))
}

fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(10).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let letter = match (name, name.strip_prefix("#x"), name.strip_prefix('#')) {
        ("lt", ..) => '<',
        ("gt", ..) => '>',
        ("amp", ..) => '&',
        ("quot" | "apos", ..) => '"',
        ("nbsp", ..) => ' ',
        ("shy", ..) => '\u{ad}',
        (_, Some(hex), _) => char::from_u32(u32::from_str_radix(hex, 16).ok()?)?,
        (_, _, Some(decimal)) => char::from_u32(decimal.parse().ok()?)?,
        _ => return None,
    };
    Some((letter, end + 1))
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '＇')
}

/// Scripts without spaces between words: each letter counts as a word.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Digits among letters, read as the letters they stand for.
fn undo_leetspeak(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        other => other,
    }
}

/// Joins four or more single letters, each one character apart: a word spelled out.
fn join_spelled_words(words: &mut Vec<WordSpan>, folded: &mut String, text: &str) {
    const MIN_LETTERS: usize = 4;
    if !words.windows(MIN_LETTERS).any(|window| window.iter().all(|word| is_letter(folded, word))) {
        return;
    }
    let mut joined: Vec<WordSpan> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let mut end = at + 1;
        let is_adjacent = |end: usize| {
            text[words[end - 1].source.end..words[end].source.start].chars().count() == 1
        };
        while is_letter(folded, &words[at])
            && end < words.len()
            && is_letter(folded, &words[end])
            && is_adjacent(end)
        {
            end += 1;
        }
        let end = if end - at < MIN_LETTERS { at + 1 } else { end };
        let start = folded.len();
        for word in &words[at..end] {
            let piece = folded[word.folded.clone()].to_owned();
            folded.push_str(&piece);
        }
        let source = words[at].source.start..words[end - 1].source.end;
        joined.push(WordSpan { folded: start..folded.len(), source, sentence: words[at].sentence });
        at = end;
    }
    *words = joined;
}

fn is_letter(folded: &str, word: &WordSpan) -> bool {
    word.folded.len() == 1 && folded.as_bytes()[word.folded.start].is_ascii_lowercase()
}
