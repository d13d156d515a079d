//! Parses points in time as users type them: `2h`, `2026-07-28`, `2026-07-28T12:00:00Z`.

#[cfg(test)]
mod tests;

use crate::TelemetryError;
use toolscout_core::{Moment, escape};

const DAY: u64 = 86_400;

/// Parses an age before `now`, or a date.
pub(crate) fn read(text: &str, now: Moment) -> Result<Moment, TelemetryError> {
    age(text)
        .map(|age| Moment(now.0.saturating_sub(age.saturating_mul(1_000))))
        .or_else(|| date(text))
        .ok_or_else(|| {
            let message = format!("`{}` is not a time", escape::line(text));
            let hint = "use an age (90s, 15m, 2h, 7d) or a time (2026-07-28, 2026-07-28T12:00:00Z)"
                .to_owned();
            TelemetryError::InvalidQuery { message, hint }
        })
}

/// The number of seconds in an age such as `2h`.
pub fn age(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(unit)
        .filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Parses RFC 3339, with or without a time of day. The default time zone is UTC.
pub fn date(text: &str) -> Option<Moment> {
    let (day, time) =
        text.split_once(['T', 't', ' ']).map_or((text, None), |(day, time)| (day, Some(time)));
    let [year, month, date] = numbers(day, '-')?;
    let is_date =
        (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&date);
    let midnight = is_date.then(|| days(year, month, date) * DAY)?;
    let Some(time) = time else { return Some(Moment(midnight * 1_000)) };
    let (time, offset) = zone(time)?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let millis = format!("{fraction:0<3}").get(..3)?.parse::<u64>().ok()?;
    let [hour, minute, second] =
        numbers(time, ':').or_else(|| numbers(&format!("{time}:00"), ':'))?;
    let is_time = hour < 24 && minute < 60 && second < 61;
    let seconds = is_time.then_some(midnight + hour * 3_600 + minute * 60 + second)?;
    Some(Moment(seconds.checked_add_signed(-offset)? * 1_000 + millis))
}

/// Splits off the time zone, and returns its offset from UTC in seconds.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (time, zone) = time.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(&zone[1..], ':')?;
    let offset =
        i64::try_from(hours * 3_600 + minutes * 60).ok().filter(|value| *value < DAY as i64)?;
    Some((time, sign * offset))
}

fn numbers<const N: usize>(text: &str, separator: char) -> Option<[u64; N]> {
    let is_number = |text: &str| {
        !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Option<Vec<u64>> =
        text.split(separator).map(|part| part.parse().ok().filter(|_| is_number(part))).collect();
    parts?.try_into().ok()
}

/// Days from 1970 to this date. Years start in March here, so that the leap day comes last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = 365 * year + year / 4 - year / 100 + year / 400;
    (of_years + (153 * month + 2) / 5 + day - 1).saturating_sub(719_468)
}
