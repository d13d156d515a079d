//! An upper bound for the number of tokens of a piece.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Common words and syllables, in four groups: those that are one token unchanged, after a
/// blank, and both with a capital; the same without the capital forms; only after a blank; only
/// unchanged. Words of the first two groups and of the last are also at most two tokens after
/// one of [`JOINED`], if they have no capital.
pub(super) const WORDS: &str = include_str!("words.txt");
/// Runs of signs that are one token each.
pub(super) const SIGNS: &str = include_str!("signs.txt");
/// The length of the longest word in the list.
const MAX_WORD_LENGTH: usize = 13;
/// Signs that often precede a word and belong to it: `_search`.
pub(super) const JOINED: &[u8] = b"\"(-./_";
/// Runs of blanks up to this length are one token.
const MAX_BLANKS: usize = 16;
/// The length of the longest known token of any kind.
const MAX_TOKEN_LENGTH: usize =
    if MAX_WORD_LENGTH < MAX_BLANKS { MAX_BLANKS } else { MAX_WORD_LENGTH + 1 };
/// Longer pieces are not words; an exact bound for them is slow and gains little.
const MAX_EXACT: usize = 64;

/// The forms in which a word is one token.
type Forms = u8;
const PLAIN: Forms = 1;
const BLANK: Forms = 2;
const CAPITAL: Forms = 4;
const GROUPS: [Forms; 4] = [PLAIN | BLANK | CAPITAL, PLAIN | BLANK, BLANK, PLAIN];

static KNOWN_WORDS: LazyLock<HashMap<&[u8], Forms>> = LazyLock::new(|| {
    let groups = WORDS.split("\n\n").zip(GROUPS);
    // Reserved up front, because a growing map would be rehashed several times.
    let mut known = HashMap::with_capacity(WORDS.len() / 6);
    known.extend(
        groups.flat_map(|(words, forms)| words.lines().map(move |line| (line.as_bytes(), forms))),
    );
    known
});
static KNOWN_SIGNS: LazyLock<HashSet<&[u8]>> =
    LazyLock::new(|| SIGNS.lines().map(str::as_bytes).collect());

/// An upper bound for the tokens of the piece.
pub(super) fn max_parts(piece: &[u8]) -> usize {
    match piece.len() {
        0 | 1 => 1,
        _ if is_token(piece) => 1,
        _ if is_joined(piece) => 2,
        length if length > MAX_EXACT => length,
        _ => max_separate_parts(piece),
    }
}

fn is_joined(piece: &[u8]) -> bool {
    JOINED.contains(&piece[0]) && piece[1].is_ascii_lowercase() && is_word(&piece[1..], PLAIN)
}

/// The maximum number of parts of which no two neighbours form a known token.
fn max_separate_parts(piece: &[u8]) -> usize {
    let length = piece.len();
    // The maximum number of parts, by the end of the last part and by its length (exact, or a
    // minimum); 0 if impossible.
    let size = (length + 1) * (length + 2);
    let (mut exactly, mut at_least) = (vec![0; size], vec![0; size]);
    let at = |end: usize, last: usize| end * (length + 2) + last;
    // Each range is needed many times, so it is looked up once.
    let tokens: Vec<bool> = (0..=length)
        .flat_map(|end| (0..=MAX_TOKEN_LENGTH).map(move |reach| (end, reach)))
        .map(|(end, reach)| (2..=end).contains(&reach) && is_token(&piece[end - reach..end]))
        .collect();
    for end in 1..=length {
        for last in (1..=end).rev() {
            let before = end - last;
            // Two parts that are together longer than any known token may be neighbours.
            let free = MAX_TOKEN_LENGTH.saturating_sub(last) + 1;
            let is_apart = |number: &usize| !tokens[end * (MAX_TOKEN_LENGTH + 1) + last + number];
            let shorter = (1..free.min(before + 1))
                .filter(is_apart)
                .map(|index| exactly[at(before, index)])
                .max();
            let longer = if free <= before { at_least[at(before, free)] } else { 0 };
            exactly[at(end, last)] = match shorter.unwrap_or(0).max(longer) {
                0 => usize::from(before == 0),
                parts => parts + 1,
            };
            at_least[at(end, last)] = exactly[at(end, last)].max(at_least[at(end, last + 1)]);
        }
    }
    at_least[at(length, 1)]
}

/// Whether this is certainly one token. There are no false positives.
fn is_token(part: &[u8]) -> bool {
    match part {
        [b' ', sign] if sign.is_ascii_graphic() => true,
        [b' ', word @ ..] if word.first().is_some_and(u8::is_ascii_alphabetic) => {
            is_word(word, BLANK)
        }
        [first, ..] if first.is_ascii_alphabetic() => is_word(part, PLAIN),
        _ if part.iter().all(|byte| *byte == b' ') => part.len() <= MAX_BLANKS,
        _ => KNOWN_SIGNS.contains(part),
    }
}

fn is_word(part: &[u8], form: Forms) -> bool {
    if part.len() > MAX_WORD_LENGTH {
        return false;
    }
    let is_known =
        |word: &[u8], form: Forms| KNOWN_WORDS.get(word).is_some_and(|forms| forms & form == form);
    if !part[0].is_ascii_uppercase() || is_known(part, form) {
        return is_known(part, form);
    }
    let mut word = [0; MAX_WORD_LENGTH];
    let word = &mut word[..part.len()];
    word.copy_from_slice(part);
    word[0].make_ascii_lowercase();
    is_known(word, form | CAPITAL)
}
