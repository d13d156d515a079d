//! The catalogue over HTTP, through the real program. Whatever it answers here is compared with its own document.

mod answers;
mod asking;
mod catalog;
mod fuzzed;
mod people;
mod servers;
mod sessions;
mod tokens;

pub(crate) use client::Api;
