//! A token bucket rate limiter.

use std::time::Instant;

/// Permits a steady rate, and a burst after a quiet time.
#[derive(Debug)]
pub(super) struct TokenBucket {
    rate: f64,
    burst: f64,
    left: f64,
    at: Instant,
}

impl TokenBucket {
    /// Creates a full bucket from the rate per second and the burst size.
    pub(super) fn new((rate, burst): (u32, u32), now: Instant) -> Self {
        let burst = f64::from(burst);
        Self { rate: f64::from(rate), burst, left: burst, at: now }
    }

    /// Takes a token; returns whether one was available.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let earned = now.saturating_duration_since(self.at).as_secs_f64() * self.rate;
        self.left = (self.left + earned).min(self.burst);
        self.at = now;
        let passes = self.left >= 1.0;
        if passes {
            self.left -= 1.0;
        }
        passes
    }
}
