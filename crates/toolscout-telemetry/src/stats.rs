//! Usage statistics from the journal: tokens spent and avoided, and suggestions which tools to pin.

mod counter;
mod output;
mod pins;
mod record;
mod savings;
pub mod series;
mod session;
mod session_key;

pub use counter::UsageCounter;
pub use output::{
    ClientStats, PinSuggestion, PinSuggestions, Savings, SessionStats, SourceStats, ToolStats,
    UnansweredQuery, UsageStats, UsageTotals,
};
pub use pins::suggest;

use crate::{TelemetryError, since};
use std::path::Path;
use toolscout_core::Moment;
use toolscout_store::journal::{JournalQuery, JournalReader};

/// Counts all records since a time (`7d`, `2026-07-28`), or the whole journal. `state` is the state
/// directory, if there is one.
pub fn count(state: Option<&Path>, since: Option<&str>) -> Result<UsageCounter, TelemetryError> {
    let mut counter = UsageCounter::default();
    let since = since.map(|text| since::read(text, Moment::now())).transpose()?;
    let Some(state) = state else { return Ok(counter) };
    let query = JournalQuery { since, ..JournalQuery::default() };
    JournalReader::new(state)
        .for_each(&query, |text| counter.read(text))
        .map_err(TelemetryError::io("read", state))?;
    counter.finish();
    Ok(counter)
}

/// The median; for an even number of values, the upper of the two in the middle.
fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
