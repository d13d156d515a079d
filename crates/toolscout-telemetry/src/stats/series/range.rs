//! A range of time, divided into buckets of equal length.

use crate::{TelemetryError, since};
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_core::{Moment, escape};

pub(super) const DAY_MILLIS: u64 = 86_400_000;
/// Start of the range, unless the query has one.
const DEFAULT_FROM: &str = "24h";
/// Lengths of buckets in seconds. The default is the first one that divides the range into at most
/// [`DEFAULT_BUCKETS`].
const LENGTHS: [u64; 9] = [60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400];
const DEFAULT_BUCKETS: u64 = 60;
/// Maximum number of buckets.
const MAX_BUCKETS: u64 = 500;

/// A range of time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SeriesQuery {
    /// Start of the range: an age (2h, 7d) or a time (2026-07-28); 24h by default
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    pub from: Option<String>,
    /// End of the range: an age or a time; now by default
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    pub to: Option<String>,
    /// Length of a bucket: 15m, 1h or 1d; by default the range has up to 60 buckets
    #[schemars(extend("x-cli" = {"value": "LENGTH"}))]
    pub bucket: Option<String>,
}

/// A range of time, divided into buckets. The first bucket starts at a multiple of the length, so
/// that the buckets of two queries agree.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeriesRange {
    pub(super) from: Moment,
    pub(super) to: Moment,
    pub(super) bucket_seconds: u64,
}

impl SeriesRange {
    pub(super) fn parse(query: &SeriesQuery, now: Moment) -> Result<Self, TelemetryError> {
        let from = since::read(query.from.as_deref().unwrap_or(DEFAULT_FROM), now)?;
        let to = query.to.as_deref().map_or(Ok(now), |text| since::read(text, now))?;
        if from >= to {
            let hint = "`from` must be before `to`".to_owned();
            return Err(invalid("the range of time is empty".to_owned(), hint));
        }
        let length = (to.0 - from.0).div_ceil(1_000);
        let bucket_seconds = match query.bucket.as_deref() {
            Some(text) => bucket(text)?,
            None => default_bucket(length),
        };
        let range = Self { from: start_of(from, bucket_seconds), to, bucket_seconds };
        if range.bucket_count() > MAX_BUCKETS {
            let message =
                format!("the range has {} buckets, more than {MAX_BUCKETS}", range.bucket_count());
            let hint = "use a longer `bucket` (1h, 1d), or a later `from`".to_owned();
            return Err(invalid(message, hint));
        }
        Ok(range)
    }

    pub(super) fn bucket_count(&self) -> u64 {
        (self.to.0 - self.from.0).div_ceil(self.bucket_seconds * 1_000)
    }

    /// The index of the bucket that contains this moment; none if it is outside of the range.
    pub(super) fn index(&self, at: Moment) -> Option<usize> {
        let is_inside = self.from <= at && at < self.to;
        is_inside.then(|| ((at.0 - self.from.0) / (self.bucket_seconds * 1_000)) as usize)
    }

    /// The start of a bucket.
    pub(super) fn start(&self, index: usize) -> Moment {
        Moment(self.from.0 + index as u64 * self.bucket_seconds * 1_000)
    }

    /// The days of the range in UTC, as `2026-07-28`.
    pub(super) fn days(&self) -> impl Iterator<Item = String> {
        let (first, last) = (self.from.0 / DAY_MILLIS, (self.to.0 - 1) / DAY_MILLIS);
        (first..=last).map(|day| day_of(&Moment(day * DAY_MILLIS).to_string()).to_owned())
    }
}

/// The day of a time in RFC 3339.
pub(super) fn day_of(time: &str) -> &str {
    time.get(.."2026-07-28".len()).unwrap_or(time)
}

fn start_of(at: Moment, bucket_seconds: u64) -> Moment {
    Moment(at.0 - at.0 % (bucket_seconds * 1_000))
}

fn default_bucket(seconds: u64) -> u64 {
    let is_enough = |length: &u64| seconds.div_ceil(*length) <= DEFAULT_BUCKETS;
    LENGTHS.into_iter().find(is_enough).unwrap_or(LENGTHS[LENGTHS.len() - 1])
}

fn bucket(text: &str) -> Result<u64, TelemetryError> {
    since::age(text).filter(|seconds| (1..=86_400).contains(seconds)).ok_or_else(|| {
        let message = format!("`{}` is not the length of a bucket", escape::line(text));
        invalid(message, "use a length up to one day: 5m, 1h, 1d".to_owned())
    })
}

fn invalid(message: String, hint: String) -> TelemetryError {
    TelemetryError::InvalidQuery { message, hint }
}
