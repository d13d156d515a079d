//! Splits text into words: at identifier boundaries, without case and accents; Chinese and similar
//! scripts in pairs of characters.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Maximum length of a word in bytes; longer runs are keys, hashes, or text without spaces.
pub(crate) const LONGEST: usize = 48;

/// Calls `with` for each word of the text, in order.
pub(crate) fn each(text: &str, mut with: impl FnMut(&str)) {
    let mut small = String::new();
    let mut with = |word: &str| {
        if word.len() <= LONGEST {
            with(lower(word, &mut small));
        }
    };
    if text.is_ascii() {
        runs(text, &mut with);
    } else {
        let folded = fold(text);
        runs(&folded, &mut with);
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
    fn of(it: char) -> Self {
        match it {
            'a'..='z' => Self::Small,
            'A'..='Z' => Self::Capital,
            '0'..='9' => Self::Digit,
            '\0'..='\x7f' => Self::Gap,
            _ if is_dense(it) => Self::Dense,
            _ if it.is_uppercase() => Self::Capital,
            _ if it.is_alphabetic() => Self::Small,
            _ if it.is_numeric() => Self::Digit,
            _ => Self::Gap,
        }
    }
}

/// Whether words of this script are written without spaces between them.
pub(crate) fn is_dense(it: char) -> bool {
    matches!(u32::from(it),
        0x0E00..=0x0EFF | 0x1100..=0x11FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn runs(text: &str, with: &mut impl FnMut(&str)) {
    let (mut start, mut last) = (0, CharClass::Gap);
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        let kind = CharClass::of(it);
        let rest = || chars.clone().map(|(_, it)| CharClass::of(it));
        if begins(last, kind, rest) {
            word(&text[start..at], last, with);
            start = at;
        }
        if kind == CharClass::Gap {
            start = at + it.len_utf8();
        }
        // A digit belongs to the word before it: `mp3`, `top10Movies`.
        if !(kind == CharClass::Digit && matches!(last, CharClass::Small | CharClass::Capital)) {
            last = kind;
        }
    }
    word(&text[start..], last, with);
}

/// Whether a new word begins here.
fn begins<I: Iterator<Item = CharClass>>(
    last: CharClass,
    kind: CharClass,
    rest: impl Fn() -> I,
) -> bool {
    match (last, kind) {
        (CharClass::Gap, _) => false,
        (_, CharClass::Gap) | (CharClass::Small, CharClass::Capital) => true,
        (CharClass::Dense, it) | (it, CharClass::Dense) => it != CharClass::Dense,
        (CharClass::Capital, CharClass::Capital) => ends_capitals(rest()),
        _ => false,
    }
}

/// In `HTTPServer` the last capital begins the next word; in `URLs` none does.
fn ends_capitals(mut rest: impl Iterator<Item = CharClass>) -> bool {
    rest.next() == Some(CharClass::Small) && rest.next() == Some(CharClass::Small)
}

fn word(run: &str, kind: CharClass, with: &mut impl FnMut(&str)) {
    if run.is_empty() {
        return;
    }
    if kind != CharClass::Dense {
        return with(run);
    }
    let mut ends = run.char_indices().map(|(at, it)| at + it.len_utf8());
    let (mut start, Some(mut end)) = (0, ends.next()) else { return };
    if end == run.len() {
        return with(run);
    }
    for next in ends {
        with(&run[start..next]);
        (start, end) = (end, next);
    }
}

fn lower<'a>(word: &'a str, small: &'a mut String) -> &'a str {
    if word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()) {
        return word;
    }
    small.clear();
    if word.is_ascii() {
        small.push_str(word);
        small.make_ascii_lowercase();
    } else {
        small.extend(word.chars().flat_map(char::to_lowercase));
    }
    small
}

/// Removes accents and unifies wide and narrow forms; Korean stays in syllables.
pub(crate) fn fold(text: &str) -> String {
    let apart = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let bare: String = apart.chars().filter(|it| !is_mark(*it)).flat_map(plain).collect();
    ComposingNormalizerBorrowed::new_nfc().normalize(&bare).into_owned()
}

fn is_mark(it: char) -> bool {
    matches!(u32::from(it), 0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// Letters that Unicode does not decompose, but that users type in a plain form.
fn plain(it: char) -> impl Iterator<Item = char> {
    let two = match it {
        'ß' => ['s', 's'],
        'æ' | 'Æ' => ['a', 'e'],
        'œ' | 'Œ' => ['o', 'e'],
        'ø' | 'Ø' => ['o', '\0'],
        'ł' | 'Ł' => ['l', '\0'],
        'đ' | 'Đ' | 'ð' | 'Ð' => ['d', '\0'],
        'þ' | 'Þ' => ['t', 'h'],
        'ı' => ['i', '\0'],
        it => [it, '\0'],
    };
    two.into_iter().filter(|it| *it != '\0')
}
