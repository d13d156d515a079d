//! An upper bound for the number of tokens of a text, computed without a tokenizer.
//!
//! A budget must hold for every text, so this is a bound and not an estimate: it is never below
//! the token count of `o200k_base`, and close to it for English and for JSON. It relies on two
//! facts that need no vocabulary:
//!
//! 1. Texts are split into words, numbers, signs and blanks by fixed rules, and each is encoded
//!    separately ([`pieces`]).
//! 2. A byte pair encoder never leaves two neighbours that are a token when joined. Some tokens
//!    are known (for example the common words of `tokens/words.txt`), and the joins they rule out
//!    bound the number of parts of a word ([`parts`]).

mod parts;
mod pieces;

#[cfg(test)]
mod tests;

use parts::max_parts;
use pieces::{Piece, Pieces};

/// An upper bound for the tokens of the text in `o200k_base`. Takes time linear in its length.
pub fn at_most(text: &str) -> usize {
    Pieces::new(text).map(|piece| tokens(&piece)).sum()
}

/// Whether the text certainly has no more tokens than the budget; stops as soon as the bound
/// exceeds it.
pub fn fits(text: &str, budget: usize) -> bool {
    let mut sum = 0;
    Pieces::new(text).all(|piece| {
        sum += tokens(&piece);
        sum <= budget
    })
}

fn tokens(piece: &Piece<'_>) -> usize {
    match piece {
        // Every number of up to three digits is one token.
        Piece::Number(digits) => digits.len().div_ceil(3),
        Piece::Word(text) | Piece::Signs(text) | Piece::Blank(text) => max_parts(text.as_bytes()),
        // A token has at least one byte.
        Piece::Other(text) => text.len(),
    }
}
