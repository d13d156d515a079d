//! The guarantees of the encoder.
//!
//! 1. Text is split like in the reference tokenizer, whatever it contains (`tokens`).
//! 2. Vectors are close to those of 32-bit arithmetic; every kernel, thread count and batch gives
//!    the
//!    same bits (`vectors`).
//! 3. A broken model file is an error (`file`).
//! 4. A model directory is converted, or the error names its defect (`directory`).
//! 5. The math functions are accurate (`numbers`).

mod directory;
mod file;
mod numbers;
mod tiny;
#[cfg(has_model)]
mod tokens;
mod unigram;
#[cfg(has_model)]
mod vectors;

#[path = "../examples/model/plain.rs"]
mod plain;
