//! What the journal keeps, and what is made of it.
//!
//! 1. Nothing secret is kept, by name or by shape, and nothing long: [`recording`].
//! 2. The sums are right, of a journal that is written by hand: [`counting`].
//! 3. What is worth pinning is, and nothing else: [`pinning`].

mod counting;
mod pinning;
mod recording;

use crate::stats::UsageCounter;

/// Counts these records.
fn count<'a>(lines: impl Iterator<Item = &'a str>) -> UsageCounter {
    let mut counter = UsageCounter::default();
    lines.for_each(|line| counter.read(line));
    counter.end();
    counter
}
