//! Random choices that come out the same for the same seed.

use std::time::Duration;

/// Numbers that look like chance: SplitMix64, which needs no library and is good enough to choose a moment.
pub(super) struct Chance(u64);

impl Chance {
    /// Each round has its own, so that a round does not depend on how often an earlier one has asked.
    pub(super) fn of_round(seed: u64, number: usize) -> Self {
        let mut chance = Self(seed);
        chance.0 = chance.next() ^ number as u64;
        chance
    }

    /// From 0 up to, and without, the limit, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// One of them; none of none.
    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        if of.is_empty() { None } else { Some(of[self.below(of.len())].clone()) }
    }

    /// A moment within that time.
    pub(super) fn within(&mut self, time: Duration) -> Duration {
        time.mul_f64(self.next() as f64 / u64::MAX as f64)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
