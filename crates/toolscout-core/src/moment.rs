//! Points in time, as stored and shown.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 by the system clock, which users can set: suitable for display and for
/// ages, not for deadlines. Displayed as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub u64);

impl Moment {
    /// The current time; a clock before 1970 counts as 1970.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// The time since this moment; zero for a moment in the future, as after the clock was set
    /// back.
    pub fn age(self, now: Self) -> Duration {
        Duration::from_millis(now.0.saturating_sub(self.0))
    }

    /// This moment plus a duration.
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1_000, self.0 % 1_000);
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

/// The Gregorian date this many days after 1970-01-01. Counts in eras of 400 years whose years
/// begin in March, so that the leap day comes last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}
