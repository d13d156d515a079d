//! Usage over time, for charts: calls and errors, latency and uptime by server, tokens saved per
//! day. Reads the part of the journal that a range of time needs, once.

mod counter;
mod latency;
mod output;
mod range;

pub use output::{
    BucketStats, DaySavings, LatencyBucket, ServerSeries, ServerState, ToolSeries, Uptime,
    UsageSeries,
};
pub use range::SeriesQuery;

use crate::TelemetryError;
use counter::SeriesCounter;
use range::{DAY_MILLIS, SeriesRange};
use std::path::Path;
use toolscout_core::Moment;
use toolscout_store::journal::{JournalQuery, JournalReader};

/// Usage over time. `state` is the state directory, if there is one.
pub fn series(state: Option<&Path>, query: &SeriesQuery) -> Result<UsageSeries, TelemetryError> {
    let range = SeriesRange::parse(query, Moment::now())?;
    let mut counter = SeriesCounter::new(range);
    if let Some(state) = state {
        // A session that runs at the start of the range listed its tools before it.
        let since = Moment(range.from.0.saturating_sub(DAY_MILLIS));
        let query = JournalQuery { since: Some(since), ..JournalQuery::default() };
        JournalReader::new(state)
            .for_each(&query, |text| counter.read(text))
            .map_err(TelemetryError::io("read", state))?;
    }
    Ok(counter.finish())
}

/// Usage over time in these journal records.
#[cfg(test)]
pub(crate) fn series_of<'a>(
    lines: impl Iterator<Item = &'a str>,
    query: &SeriesQuery,
    now: Moment,
) -> Result<UsageSeries, TelemetryError> {
    let mut counter = SeriesCounter::new(SeriesRange::parse(query, now)?);
    lines.for_each(|line| counter.read(line));
    Ok(counter.finish())
}
