//! A token bucket rate limiter.

use std::time::Instant;

/// Permits a steady rate, and a burst after a quiet time.
#[derive(Debug)]
pub(super) struct TokenBucket {
    rate: f64,
    burst: f64,
    tokens: f64,
    updated: Instant,
}

impl TokenBucket {
    /// Creates a full bucket from the rate per second and the burst size.
    pub(super) fn new((rate, burst): (u32, u32), now: Instant) -> Self {
        let burst = f64::from(burst);
        Self { rate: f64::from(rate), burst, tokens: burst, updated: now }
    }

    /// Takes a token; returns whether one was available.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let earned = now.saturating_duration_since(self.updated).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + earned).min(self.burst);
        self.updated = now;
        let is_available = self.tokens >= 1.0;
        if is_available {
            self.tokens -= 1.0;
        }
        is_available
    }
}
