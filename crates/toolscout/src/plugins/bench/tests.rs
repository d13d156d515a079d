//! Tests of the benchmark. Each file starts with the properties it proves.

mod built_in;
mod identity;
mod learn;
mod lines;
mod ratchet;
mod score;
mod set;
