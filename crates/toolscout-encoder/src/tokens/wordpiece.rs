//! WordPiece: splits a word into the longest known tokens, from its start to its end.

use crate::file::ModelFile;
use crate::vocabulary::VocabularyCursor;

/// Maximum length of a word in characters; longer runs are keys or encoded data.
const MAX_WORD_CHARS: usize = 100;
/// Prefix of tokens that continue a word.
const CONTINUATION: &[u8] = b"##";

/// Adds the word's tokens; the unknown token if it cannot be split completely.
pub(super) fn tokenize(file: &ModelFile, word: &str, tokens: &mut Vec<u32>) {
    let before = tokens.len();
    let is_known = word.chars().count() <= MAX_WORD_CHARS
        && tokenize_completely(file, word.as_bytes(), tokens);
    if !is_known {
        tokens.truncate(before);
        tokens.push(file.shape.special.unknown);
    }
}

fn tokenize_completely(file: &ModelFile, word: &[u8], tokens: &mut Vec<u32>) -> bool {
    let from_start = file.vocabulary.cursor(&file.bytes);
    let mut continuation = from_start.clone();
    continuation.steps(CONTINUATION);
    let mut rest = word;
    while !rest.is_empty() {
        let cursor = if rest.len() == word.len() { &from_start } else { &continuation };
        let Some((token, len)) = longest(cursor.clone(), rest) else { return false };
        tokens.push(token);
        rest = &rest[len..];
    }
    true
}

fn longest(mut cursor: VocabularyCursor<'_>, rest: &[u8]) -> Option<(u32, usize)> {
    let mut found = None;
    for (at, byte) in rest.iter().enumerate() {
        if !cursor.step(*byte) {
            break;
        }
        found = cursor.token().map(|token| (token, at + 1)).or(found);
    }
    found
}
