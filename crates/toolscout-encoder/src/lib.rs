//! Texts become vectors: a small sentence encoder that runs on any processor, with nothing but this crate.
//!
//! [`MiniLm::built_in`] is the model that comes with the program, [`MiniLm::open`] one of the user's own. Both are
//! transformers of the BERT family with weights of eight bits; [`MiniLm::encode`] cuts a text into pieces, takes them through
//! the layers and gives their mean, of unit length. The same text gives the same bits, alone or among others, on every
//! machine: sums of products are sums of integers, and everything else is done in one fixed order.
//!
//! Start reading at [`MiniLm`]; the way of a text is `pieces`, `pass`, `kernel`, and what a model is made of is `file`.

#![warn(missing_docs)]

mod built_in;
mod bytes;
mod directory;
mod error;
mod file;
mod kernel;
mod math;
mod minilm;
mod panel;
mod pass;
mod pieces;
mod quantise;
mod shape;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use error::OpenError;
pub use minilm::MiniLm;
