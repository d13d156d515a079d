//! How many tokens a text takes at most, told without a tokenizer.
//!
//! A budget that is kept must be kept for every text, so this is a bound and no estimate: it is never below what
//! `o200k_base` makes of the text, and near to it for English and for JSON. It rests on two things that need no vocabulary:
//!
//! 1. Texts are cut into words, numbers, signs and blanks by fixed rules, and each is encoded for itself ([`pieces`]).
//! 2. A byte pair encoder never leaves two neighbours that are a token when joined. Of a word, some tokens are known (the
//!    common words of `tokens/words.txt`, for one), and what they forbid bounds the number of its parts ([`parts`]).

mod parts;
mod pieces;

#[cfg(test)]
mod tests;

use parts::most_parts;
use pieces::{Piece, Pieces};

/// At least as many tokens as `o200k_base` needs for the text. Takes time in proportion to its length.
pub fn at_most(text: &str) -> usize {
    Pieces::of(text).map(|it| tokens(&it)).sum()
}

/// Whether the text surely takes no more than so many; looks no further than to where it might.
pub fn fits(text: &str, budget: usize) -> bool {
    let mut sum = 0;
    Pieces::of(text).all(|it| {
        sum += tokens(&it);
        sum <= budget
    })
}

fn tokens(piece: &Piece<'_>) -> usize {
    match piece {
        // Every number of up to three digits is a token.
        Piece::Number(digits) => digits.len().div_ceil(3),
        Piece::Word(text) | Piece::Signs(text) | Piece::Blank(text) => most_parts(text.as_bytes()),
        // A token has a byte at least.
        Piece::Other(text) => text.len(),
    }
}
