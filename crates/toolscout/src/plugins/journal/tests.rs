//! What the journal keeps, and what is made of it.
//!
//! 1. Nothing secret is kept, by name or by shape, and nothing long: [`keeping`].
//! 2. The sums are right, of a journal that is written by hand: [`counting`].
//! 3. What is worth pinning is, and nothing else: [`pinning`].

mod counting;
mod keeping;
mod pinning;
