//! Cuts a word into the longest pieces that are known, from its start to its end.

use crate::file::ModelFile;
use crate::vocabulary::VocabularyCursor;

/// Letters of a word that is looked at; what is longer is no word, but a key or a picture.
const LONGEST_WORD: usize = 100;
/// What a piece starts with that goes on with a word.
const GOES_ON: &[u8] = b"##";

/// Adds the word's pieces; one that stands for the unknown, if there is no way to cut all of it.
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
