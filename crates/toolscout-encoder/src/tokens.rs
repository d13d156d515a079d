//! Tokenizes text into the numbers of a model's pieces.

mod normal;
mod unigram;
mod wordpiece;

use crate::file::ModelFile;
use crate::shape::Tokenizer;

/// Maximum length of a text in bytes; far more than any model has positions for.
const LONGEST_TEXT: usize = 64 * 1024;

/// At most `limit` pieces, including those for start and end; a longer text is truncated. Special
/// pieces that are spelled out in the text are treated as text.
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
