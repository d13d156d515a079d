//! Splits text into words: at identifier boundaries, without case and accents; Chinese and similar
//! scripts in pairs of characters.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Maximum length of a word in bytes; longer runs are keys, hashes, or text without spaces.
pub(crate) const MAX_WORD_BYTES: usize = 48;

/// Calls `f` for each word of the text, in order.
pub(crate) fn for_each(text: &str, mut f: impl FnMut(&str)) {
    let mut buffer = String::new();
    let mut f = |word: &str| {
        if word.len() <= MAX_WORD_BYTES {
            f(lower(word, &mut buffer));
        }
    };
    if text.is_ascii() {
        runs(text, &mut f);
    } else {
        let folded = fold(text);
        runs(&folded, &mut f);
    }
}

/// The class of a character for word splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Small,
    Capital,
    Digit,
    /// A script without spaces: Chinese, Japanese, Korean, Thai.
    Dense,
    Gap,
}

impl CharClass {
    fn new(c: char) -> Self {
        match c {
            'a'..='z' => Self::Small,
            'A'..='Z' => Self::Capital,
            '0'..='9' => Self::Digit,
            '\0'..='\x7f' => Self::Gap,
            _ if is_dense(c) => Self::Dense,
            _ if c.is_uppercase() => Self::Capital,
            _ if c.is_alphabetic() => Self::Small,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Gap,
        }
    }
}

/// Whether words of this script are written without spaces between them.
pub(crate) fn is_dense(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1100..=0x11FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn runs(text: &str, f: &mut impl FnMut(&str)) {
    let (mut start, mut last) = (0, CharClass::Gap);
    let mut chars = text.char_indices().peekable();
    while let Some((at, inner)) = chars.next() {
        let kind = CharClass::new(inner);
        let rest = || chars.clone().map(|(_, value)| CharClass::new(value));
        if starts_word(last, kind, rest) {
            push_words(&text[start..at], last, f);
            start = at;
        }
        if kind == CharClass::Gap {
            start = at + inner.len_utf8();
        }
        // A digit belongs to the word before it: `mp3`, `top10Movies`.
        if !(kind == CharClass::Digit && matches!(last, CharClass::Small | CharClass::Capital)) {
            last = kind;
        }
    }
    push_words(&text[start..], last, f);
}

/// Whether a new word begins here.
fn starts_word<I: Iterator<Item = CharClass>>(
    last: CharClass,
    kind: CharClass,
    rest: impl Fn() -> I,
) -> bool {
    match (last, kind) {
        (CharClass::Gap, _) => false,
        (_, CharClass::Gap) | (CharClass::Small, CharClass::Capital) => true,
        (CharClass::Dense, value) | (value, CharClass::Dense) => value != CharClass::Dense,
        (CharClass::Capital, CharClass::Capital) => ends_capitals(rest()),
        _ => false,
    }
}

/// In `HTTPServer` the last capital begins the next word; in `URLs` none does.
fn ends_capitals(mut rest: impl Iterator<Item = CharClass>) -> bool {
    rest.next() == Some(CharClass::Small) && rest.next() == Some(CharClass::Small)
}

fn push_words(run: &str, kind: CharClass, f: &mut impl FnMut(&str)) {
    if run.is_empty() {
        return;
    }
    if kind != CharClass::Dense {
        return f(run);
    }
    let mut ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
    let (mut start, Some(mut end)) = (0, ends.next()) else { return };
    if end == run.len() {
        return f(run);
    }
    for next in ends {
        f(&run[start..next]);
        (start, end) = (end, next);
    }
}

fn lower<'a>(word: &'a str, buffer: &'a mut String) -> &'a str {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return word;
    }
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
    buffer
}

/// Removes accents and unifies wide and narrow forms; Korean stays in syllables.
pub(crate) fn fold(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let without_marks: String =
        decomposed.chars().filter(|c| !is_mark(*c)).flat_map(plain).collect();
    ComposingNormalizerBorrowed::new_nfc().normalize(&without_marks).into_owned()
}

fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// Letters that Unicode does not decompose, but that users type in a plain form.
fn plain(c: char) -> impl Iterator<Item = char> {
    let letters = match c {
        'ß' => ['s', 's'],
        'æ' | 'Æ' => ['a', 'e'],
        'œ' | 'Œ' => ['o', 'e'],
        'ø' | 'Ø' => ['o', '\0'],
        'ł' | 'Ł' => ['l', '\0'],
        'đ' | 'Đ' | 'ð' | 'Ð' => ['d', '\0'],
        'þ' | 'Þ' => ['t', 'h'],
        'ı' => ['i', '\0'],
        value => [value, '\0'],
    };
    letters.into_iter().filter(|item| *item != '\0')
}
