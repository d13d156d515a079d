//! Tokenizes text into the numbers of a model's tokens.

mod normal;
mod unigram;
mod wordpiece;

use crate::file::ModelFile;
use crate::shape::Tokenizer;

/// Maximum length of a text in bytes; far more than any model has positions for.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// At most `limit` tokens, including those for start and end; a longer text is truncated. Special
/// tokens that are spelled out in the text are treated as text.
pub(crate) fn tokenize(file: &ModelFile, text: &str, limit: usize) -> Vec<u32> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut tokens = vec![file.shape.special.start];
    let limit_before_end = limit.saturating_sub(1);
    match file.shape.tokenizer {
        Tokenizer::WordPiece { lowercase, strip_accents } => {
            let mut words = normal::words(text, lowercase, strip_accents);
            while tokens.len() < limit_before_end
                && let Some(word) = words.next()
            {
                wordpiece::tokenize(file, &word, &mut tokens);
            }
        }
        Tokenizer::Unigram => unigram::tokenize(file, text, limit_before_end, &mut tokens),
    }
    tokens.truncate(limit_before_end);
    tokens.push(file.shape.special.end);
    tokens
}
