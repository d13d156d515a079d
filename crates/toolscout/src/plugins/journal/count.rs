//! Counts what the journal says: what tools have cost and saved, and which of them would better be listed.

mod ledger;
mod pinning;
mod row;
mod session;

pub(super) use pinning::pins;

#[cfg(test)]
pub(super) use pinning::proposed;

use super::since;
use crate::{AppError, Surroundings};
use ledger::Ledger;
use toolscout_core::Moment;
use toolscout_store::journal::{Reader, Wanted};
use toolscout_surface::ops::stats::Stats;

/// Said wherever tokens are counted.
pub(super) const BOUND: &str = "bound";

/// What tools have cost and saved, of all clients and projects, since then (`7d`, `2026-07-28`); of all that is kept where nothing
/// is said.
pub(super) fn stats(surroundings: &Surroundings, since: Option<&str>) -> Result<Stats, AppError> {
    Ok(read(surroundings, since)?.stats())
}

/// What these records say.
#[cfg(test)]
pub(super) fn ledger_of<'a>(lines: impl Iterator<Item = &'a str>) -> Ledger {
    let mut ledger = Ledger::default();
    lines.for_each(|it| ledger.read(it));
    ledger.end();
    ledger
}

/// Reads all of it, one record at a time.
fn read(surroundings: &Surroundings, since: Option<&str>) -> Result<Ledger, AppError> {
    let mut ledger = Ledger::default();
    let since = since.map(|it| since::read(it, Moment::now())).transpose()?;
    let Some(state) = surroundings.state_dir() else { return Ok(ledger) };
    let wanted = Wanted { since, ..Wanted::default() };
    Reader::new(&state).each(&wanted, |text| ledger.read(text)).map_err(AppError::io("read", state.join("journal")))?;
    ledger.end();
    Ok(ledger)
}

/// The one in the middle; of an even number, the upper of the two.
fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
