//! Text becomes the pieces that a model knows, by their number.

mod normal;
mod unigram;
mod wordpiece;

use crate::file::ModelFile;
use crate::shape::Tokenizer;

/// Bytes of a text that are looked at, at most; far more than any model has places for.
const LONGEST_TEXT: usize = 64 * 1024;

/// At most so many pieces, with those that mark start and end; a longer text is cut. What looks like such a mark in the text
/// is text.
pub(crate) fn of(file: &ModelFile, text: &str, limit: usize) -> Vec<u32> {
    let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
    let mut pieces = vec![file.shape.special.start];
    let room = limit.saturating_sub(1);
    match file.shape.tokenizer {
        Tokenizer::WordPiece { lowercase, strip_accents } => {
            let mut words = normal::words(text, lowercase, strip_accents);
            while pieces.len() < room
                && let Some(word) = words.next()
            {
                wordpiece::cut(file, &word, &mut pieces);
            }
        }
        Tokenizer::Unigram => unigram::cut(file, text, room, &mut pieces),
    }
    pieces.truncate(room);
    pieces.push(file.shape.special.end);
    pieces
}
