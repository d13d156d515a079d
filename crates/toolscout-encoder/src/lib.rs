//! A small sentence encoder that turns texts into vectors, on any processor and without other
//! runtimes.
//!
//! [`MiniLm::built_in`] is the model that is part of the program, [`MiniLm::open`] opens a model of
//! the user. Both are transformers of the BERT family with int8 weights; [`MiniLm::encode`]
//! tokenizes a text, runs the tokens through the layers and returns their mean, normalized to unit
//! length. The same text gives the same bits, alone or in a batch, on every machine: dot products
//! are sums of integers, and all other operations have one fixed order.
//!
//! Start reading at [`MiniLm`]; a text passes `tokens`, `pass` and `kernel`, and `file` describes
//! the model format.

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
mod quantize;
mod shape;
mod tokens;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use error::OpenError;
pub use minilm::MiniLm;
