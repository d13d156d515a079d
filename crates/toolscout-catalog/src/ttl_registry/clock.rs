//! The clock of the registry.

use std::time::{Duration, Instant};

/// Returns the time since a fixed starting point. A closure is a clock.
pub trait Clock {
    /// The time since the starting point.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// The monotonic clock of the machine, starting when this value is created.
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
