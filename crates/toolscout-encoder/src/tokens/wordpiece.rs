//! WordPiece: splits a word into the longest known pieces, from its start to its end.

use crate::file::ModelFile;
use crate::vocabulary::VocabularyCursor;

/// Maximum length of a word in characters; longer runs are keys or encoded data.
const LONGEST_WORD: usize = 100;
/// Prefix of pieces that continue a word.
const GOES_ON: &[u8] = b"##";

/// Adds the word's pieces; the unknown piece if it cannot be split completely.
pub(super) fn cut(file: &ModelFile, word: &str, pieces: &mut Vec<u32>) {
    let before = pieces.len();
    let known = word.chars().count() <= LONGEST_WORD && cut_whole(file, word.as_bytes(), pieces);
    if !known {
        pieces.truncate(before);
        pieces.push(file.shape.special.unknown);
    }
}

fn cut_whole(file: &ModelFile, word: &[u8], pieces: &mut Vec<u32>) -> bool {
    let from_start = file.vocabulary.walk(&file.bytes);
    let mut going_on = from_start.clone();
    going_on.steps(GOES_ON);
    let mut rest = word;
    while !rest.is_empty() {
        let walk = if rest.len() == word.len() { &from_start } else { &going_on };
        let Some((piece, len)) = longest(walk.clone(), rest) else { return false };
        pieces.push(piece);
        rest = &rest[len..];
    }
    true
}

fn longest(mut walk: VocabularyCursor<'_>, rest: &[u8]) -> Option<(u32, usize)> {
    let mut found = None;
    for (at, byte) in rest.iter().enumerate() {
        if !walk.step(*byte) {
            break;
        }
        found = walk.piece().map(|it| (it, at + 1)).or(found);
    }
    found
}
