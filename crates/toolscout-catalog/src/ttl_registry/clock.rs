//! What time it is, for who has to forget.

use std::time::{Duration, Instant};

/// Says how much time has passed since some moment, always the same. A closure is a clock.
pub trait Clock {
    /// Since that moment.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// The clock of the machine that is never set back: since this was made.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic(Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
