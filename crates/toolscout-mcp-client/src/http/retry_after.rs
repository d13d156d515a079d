//! The `Retry-After` header.

#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

/// The longest delay; longer ones are cut to this.
const LONGEST: Duration = Duration::from_secs(3600);

/// Parses a `Retry-After` value: seconds or a date.
pub(crate) fn parse(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(wait.min(LONGEST))
}
