//! Deterministic random choices: the same on every machine for the same seed.

use std::time::Duration;

/// The generator SplitMix64: needs no library, and no secret depends on it.
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one round, independent of the numbers drawn in earlier rounds.
    pub(crate) fn of_round(seed: u64, number: usize) -> Self {
        let mut random = Self(seed);
        random.0 = random.next() ^ number as u64;
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// From 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 to below `end`, which must be above 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    /// From `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True with this probability in percent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of at least one item.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// One of the items, or `None` if there are none.
    pub(crate) fn one<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        if of.is_empty() { None } else { Some(of[self.below(of.len())].clone()) }
    }

    /// A random duration up to `time`.
    pub(crate) fn within(&mut self, time: Duration) -> Duration {
        time.mul_f64(self.share())
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
    }
}
