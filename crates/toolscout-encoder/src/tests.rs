//! What is proved here:
//!
//! 1. Text is cut as the model's authors cut it, whatever is in it (`pieces`).
//! 2. Vectors are those of 32-bit arithmetic, near enough; every kernel, thread and batch gives the same bits (`vectors`).
//! 3. A model's file that is broken says so (`file`).
//! 4. A directory of one's own becomes a model, or an error that names what is wrong with it (`directory`).
//! 5. The functions are what they say (`numbers`).

mod directory;
mod file;
mod numbers;
#[cfg(has_model)]
mod pieces;
mod tiny;
mod unigram;
#[cfg(has_model)]
mod vectors;

#[path = "../examples/model/plain.rs"]
mod plain;
