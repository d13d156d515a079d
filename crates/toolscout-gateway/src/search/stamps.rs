//! Computes a stamp of a tool's searchable text, so that unchanged tools are not indexed again.
//!
//! A catalog of ten thousand tools is megabytes of text, and all of it is stamped before the first
//! search of a process. So this hash is optimized for speed: two multiplications for sixteen bytes.
//! It has a secret key, so authors of definitions cannot construct collisions; the probability of
//! one by chance is one in 2^64 at best.

use toolscout_core::Tool;
use toolscout_index::TextStamp;

/// Computes stamps. Stamps of different keys are unrelated.
#[derive(Clone, Copy)]
pub(super) struct StampHasher {
    keys: [u64; 4],
}

impl StampHasher {
    pub(super) fn new(secret: &[u8; 32]) -> Self {
        let derived = blake3::derive_key("toolscout 2026 stamps of searched tools", secret);
        let keys = derived.as_chunks::<8>().0;
        Self { keys: std::array::from_fn(|at| u64::from_le_bytes(keys[at])) }
    }

    /// The stamp of a tool's searchable text and of its source's description.
    pub(super) fn stamp(&self, tool: &Tool, about: &str) -> TextStamp {
        let mut state = StampState {
            one: self.keys[0],
            other: self.keys[1],
            keys: [self.keys[2], self.keys[3]],
        };
        state.text(Some(tool.id.source.as_str()));
        state.text(Some(tool.id.name.as_str()));
        state.text(tool.title.as_deref());
        state.text(tool.description.as_deref());
        state.add(tool.keywords.len() as u64, 0);
        tool.keywords.iter().for_each(|keyword| state.text(Some(keyword)));
        state.text(Some(tool.input_schema.as_str()));
        state.text(Some(about));
        state.finish()
    }
}

struct StampState {
    one: u64,
    other: u64,
    keys: [u64; 2],
}

impl StampState {
    /// Adds the length first, so that adjacent texts stay distinct.
    fn text(&mut self, text: Option<&str>) {
        let bytes = text.unwrap_or_default().as_bytes();
        self.add(text.map_or(u64::MAX, |value| value.len() as u64), 1);
        let (whole, rest) = bytes.as_chunks::<16>();
        whole.iter().for_each(|item| self.chunk(*item));
        if !rest.is_empty() {
            let mut chunk = [0; 16];
            chunk[..rest.len()].copy_from_slice(rest);
            self.chunk(chunk);
        }
    }

    fn chunk(&mut self, chunk: [u8; 16]) {
        let both = u128::from_le_bytes(chunk);
        self.add(both as u64, (both >> 64) as u64);
    }

    fn add(&mut self, low: u64, high: u64) {
        self.one = folded(low ^ self.keys[0], high ^ self.one);
        self.other = folded(low ^ self.other, high ^ self.keys[1]);
    }

    fn finish(mut self) -> TextStamp {
        self.add(1, 2);
        TextStamp::from(self.one) << 64 | TextStamp::from(self.other)
    }
}

/// Combines both halves of the product, so that each bit depends on all bits of both factors.
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}
