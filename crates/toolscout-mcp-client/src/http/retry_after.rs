//! When to come back, as a server says it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nobody is sent away for longer.
const LONGEST: Duration = Duration::from_secs(3600);

/// Reads a `Retry-After`: seconds, or a date.
pub(super) fn parse(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => date(value)?.duration_since(now).unwrap_or_default(),
    };
    Some(wait.min(LONGEST))
}

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split(' ').collect();
    let &[_, day, month, year, time, "GMT"] = words.as_slice() else { return None };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|it| *it == month)? as u64 + 1;
    let year: u64 = year.parse().ok().filter(|it| (1970..=9999).contains(it))?;
    let day: u64 = day.parse().ok().filter(|it| (1..=31).contains(it))?;
    let mut clock = time.split(':').map(|it| it.parse::<u64>().ok().filter(|it| *it <= 60));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(UNIX_EPOCH + Duration::from_secs(seconds))
}

/// Counts years from March, so that the day that is not in every year is a year's last.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_in_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + days_in_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn seconds_and_dates_are_understood_and_nothing_else() {
        assert_eq!(parse(" 7 ", at(0)), Some(Duration::from_secs(7)));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", at(784_111_777 - 90)), Some(Duration::from_secs(90)));
        assert_eq!(parse("Thu, 29 Feb 2024 00:00:01 GMT", at(1_709_164_800)), Some(Duration::from_secs(1)));
        for odd in ["", "-1", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 99 Foo 1994 08:49:37 GMT", "a b c d e GMT"]
        {
            assert_eq!(parse(odd, at(0)), None, "{odd}");
        }
    }

    #[test]
    fn nobody_waits_for_years_nor_for_the_past() {
        assert_eq!(parse("315360000", at(0)), Some(LONGEST));
        assert_eq!(parse("Fri, 31 Dec 9999 23:59:59 GMT", at(0)), Some(LONGEST));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", at(2_000_000_000)), Some(Duration::ZERO));
    }
}
