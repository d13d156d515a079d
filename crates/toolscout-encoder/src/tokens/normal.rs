//! Words as BERT splits them: without control characters and accents, in lower case, with
//! punctuation and ideographs as separate words.

use icu_normalizer::DecomposingNormalizerBorrowed;
use unicode_general_category::{GeneralCategory, get_general_category};

/// The words of a text in order.
pub(super) fn words(
    text: &str,
    lowercase: bool,
    strip_accents: bool,
) -> impl Iterator<Item = String> {
    let mut letters = letters(text, lowercase, strip_accents).peekable();
    std::iter::from_fn(move || {
        while letters.next_if(|letters| letters.is_whitespace()).is_some() {}
        let mut word = String::from(letters.next()?);
        if is_separate(word.chars().next()?) {
            return Some(word);
        }
        while let Some(letter) =
            letters.next_if(|letters| !letters.is_whitespace() && !is_separate(*letters))
        {
            word.push(letter);
        }
        Some(word)
    })
}

fn letters(
    text: &str,
    lowercase: bool,
    strip_accents: bool,
) -> Box<dyn Iterator<Item = char> + '_> {
    let clean = text.chars().filter(|c| !is_control(*c));
    let without_accents: Box<dyn Iterator<Item = char>> = if strip_accents {
        let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize_iter(clean);
        Box::new(decomposed.filter(|decomposed| !is_accent(*decomposed)))
    } else {
        Box::new(clean)
    };
    if lowercase { Box::new(without_accents.flat_map(char::to_lowercase)) } else { without_accents }
}

fn is_control(letter: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse, Unassigned};
    if letter.is_ascii() {
        return letter.is_ascii_control() && !matches!(letter, '\t' | '\n' | '\r');
    }
    letter == char::REPLACEMENT_CHARACTER
        || matches!(get_general_category(letter), Control | Format | PrivateUse | Unassigned)
}

fn is_accent(letter: char) -> bool {
    !letter.is_ascii() && get_general_category(letter) == GeneralCategory::NonspacingMark
}

fn is_separate(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_punctuation();
    }
    is_ideograph(letter) || is_punctuation(letter)
}

fn is_punctuation(letter: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    matches!(
        get_general_category(letter),
        ConnectorPunctuation
            | DashPunctuation
            | OpenPunctuation
            | ClosePunctuation
            | InitialPunctuation
            | FinalPunctuation
            | OtherPunctuation
    )
}

/// The blocks that models of this family were trained with: Chinese and Japanese ideographs, but
/// neither kana nor hangul.
fn is_ideograph(letter: char) -> bool {
    matches!(u32::from(letter),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}
