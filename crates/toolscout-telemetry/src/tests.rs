//! Tests of the journal and its statistics.
//!
//! 1. No secrets are stored, by name or by shape, and no long texts: [`recording`].
//! 2. The sums over a handwritten journal are correct: [`counting`].
//! 3. Usage over time is counted in the right bucket: [`series`].
//! 4. Only tools whose pinning saves tokens are suggested: [`pinning`].

mod counting;
mod pinning;
mod recording;
mod series;

use crate::stats::UsageCounter;

/// Counts these records.
fn count<'a>(lines: impl Iterator<Item = &'a str>) -> UsageCounter {
    let mut counter = UsageCounter::default();
    lines.for_each(|line| counter.read(line));
    counter.finish();
    counter
}
