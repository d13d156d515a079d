//! What is measured, and that it is measured right. Each file opens with the properties it proves.

mod built_in;
mod identity;
mod learn;
mod lines;
mod ratchet;
mod score;
mod set;
