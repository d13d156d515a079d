//! The journal of a run: opening it, and reading it.

pub(crate) mod fleet;
mod pins;

use crate::{AppError, Environment};
use fleet::{FleetAudit, FleetLines};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use toolscout_config::JournalRetention;
use toolscout_core::event::Observer;
use toolscout_fleet::COPY_FOLDER;
use toolscout_store::journal::{DEFAULT_LIMIT, Journal, JournalFollower, JournalReader};
use toolscout_telemetry::audit::{
    self, AuditBreak, AuditLines, AuditPage, AuditQuery, AuditVerification,
};
use toolscout_telemetry::stats::series::{self, SeriesQuery, UsageSeries};
use toolscout_telemetry::stats::{self, UsageStats};
use toolscout_telemetry::{JournalObserver, TelemetryError};

pub use pins::suggest_pins;

/// Turns the journal off for one run.
const DISABLE_VARIABLE: &str = "TOOLSCOUT_NO_JOURNAL";

/// The folder of the journal. A fleet has a key of its own, so a machine that joins one starts
/// another journal.
fn folder(environment: &Environment) -> Option<PathBuf> {
    let state = environment.state_dir()?;
    let is_fleet = environment.fleet_settings().is_some();
    Some(if is_fleet { state.join(COPY_FOLDER) } else { state })
}

/// Events of all kinds, newest first.
pub fn timeline(environment: &Environment, query: &AuditQuery) -> Result<AuditPage, AppError> {
    page(environment, |lines| audit::timeline(lines, query))
}

/// Calls and decisions, newest first.
pub fn calls_and_decisions(
    environment: &Environment,
    query: &AuditQuery,
) -> Result<AuditPage, AppError> {
    page(environment, |lines| audit::audit(lines, query))
}

/// Reads from the database of the fleet, or from the files of this machine.
fn page(
    environment: &Environment,
    read: impl Fn(&dyn AuditLines) -> Result<AuditPage, TelemetryError>,
) -> Result<AuditPage, AppError> {
    let Some(folder) = folder(environment) else { return Ok(AuditPage::default()) };
    let of_this_machine = || read(&JournalReader::new(&folder));
    let Some(fleet) = fleet::of(environment) else { return Ok(of_this_machine()?) };
    // The database must have the records that are read, also those of this moment.
    let shipped = FleetAudit::new(fleet.clone(), &folder).ship();
    match shipped.and_then(|()| fleet.contact()) {
        Ok(()) => Ok(read(&FleetLines(fleet))?),
        Err(error) => {
            let mut page = of_this_machine()?;
            page.notes.push(format!("only records of this replica: {error}"));
            Ok(page)
        }
    }
}

/// In a fleet, how many records of this machine the database does not have, as this process knows.
pub fn unshipped_records(environment: &Environment) -> Option<u64> {
    let (fleet, folder) = (fleet::of(environment)?, folder(environment)?);
    let last = JournalFollower::new(&folder, 0).last(&**fleet).ok()?;
    Some(last.saturating_sub(fleet.shipped_position()))
}

/// Checks the whole chain of records, in a fleet those of all replicas.
pub fn verify(environment: &Environment) -> Result<AuditVerification, AppError> {
    let folder = folder(environment);
    let mut verified = audit::verify(folder.as_deref(), &*environment.store())?;
    let Some((fleet, folder)) = fleet::of(environment).zip(folder) else { return Ok(verified) };
    let shipped = FleetAudit::new(fleet.clone(), &folder).ship();
    match shipped.and_then(|()| fleet.verify_audit()) {
        Ok(found) => {
            verified.records = found.records;
            verified.replicas = Some(found.chains);
            (verified.first, verified.last) = (None, None);
            verified.valid &= found.breaks.is_empty();
            verified.breaks.extend(found.breaks.into_iter().map(|found| AuditBreak {
                n: found.n,
                location: format!("{}, record {}", found.chain, found.n),
                reason: found.reason,
            }));
        }
        Err(error) => {
            verified.notes.push(format!("only the records of this replica were checked: {error}"));
        }
    }
    Ok(verified)
}

/// The cost and savings of tools, for all clients and projects, since a time (`7d`,
/// `2026-07-28`); without one, for the whole journal.
pub fn usage(environment: &Environment, since: Option<&str>) -> Result<UsageStats, AppError> {
    Ok(stats::count(folder(environment).as_deref(), since)?.stats())
}

/// Usage over time, for all clients and projects.
pub fn usage_series(
    environment: &Environment,
    query: &SeriesQuery,
) -> Result<UsageSeries, AppError> {
    Ok(series::series(folder(environment).as_deref(), query)?)
}

/// The journal of a run, once it is open. Clones share it.
#[derive(Clone, Default)]
pub struct JournalHandle(Arc<OnceLock<Arc<Journal>>>);

impl JournalHandle {
    /// Whether events are recorded.
    pub(crate) fn is_open(&self) -> bool {
        self.0.get().is_some()
    }

    /// Opens the journal unless it is open, and returns the observer that records events; `None`
    /// if recording is off.
    pub fn open(
        &self,
        retention: Option<JournalRetention>,
        environment: &Arc<Environment>,
    ) -> Option<Arc<dyn Observer>> {
        if let Some(journal) = self.0.get() {
            return Some(Arc::new(JournalObserver::new(journal.clone())));
        }
        let max_bytes = match retention {
            Some(JournalRetention::Off) => return None,
            Some(JournalRetention::Bytes(bytes)) => bytes,
            None => DEFAULT_LIMIT,
        };
        let is_disabled = environment.var(DISABLE_VARIABLE).is_some() || environment.is_captured();
        let state = folder(environment).filter(|_| !is_disabled)?;
        let reporting = environment.clone();
        let folder = toolscout_store::journal::dir(&state);
        let on_error = move |cause: &std::io::Error| {
            let message =
                format!("the audit log in `{}` cannot be written: {cause}", folder.display());
            tracing::warn!(event = "journal_write_failed", error = message);
            let hint = "set TOOLSCOUT_STATE_DIR to a writable folder";
            reporting.eprint(&format!("warning: {message}\n  hint: {hint}\n"));
        };
        let journal =
            Arc::new(Journal::new(&state, environment.store(), max_bytes, Box::new(on_error)));
        let _ = self.0.set(journal.clone());
        Some(Arc::new(JournalObserver::new(journal)))
    }

    /// Writes events as they happen, for a long-running process. A short command writes them
    /// all when it ends.
    pub fn start_writer(&self) {
        if let Some(journal) = self.0.get() {
            journal.start();
        }
    }

    /// Writes all events of this process, so that a reader of the journal sees them.
    pub fn flush(&self) {
        if let Some(journal) = self.0.get() {
            journal.flush();
        }
    }

    /// In a fleet, sends all events of this process to the database. If it is away, the next
    /// process of this machine sends them.
    pub fn ship(&self, environment: &Environment) {
        let Some(fleet) = fleet::of(environment).filter(|_| self.is_open()) else { return };
        if let Some(folder) = folder(environment) {
            let _ = FleetAudit::new(fleet.clone(), &folder).ship();
        }
    }

    /// In a fleet, sends events to the database as they happen; otherwise never ready. Dropping the
    /// future stops that.
    pub async fn ship_in_background(&self, environment: &Environment) {
        let audit = fleet::of(environment).filter(|_| self.is_open()).zip(folder(environment));
        let Some((fleet, folder)) = audit else { return std::future::pending().await };
        let audit = Arc::new(FleetAudit::new(fleet.clone(), &folder));
        loop {
            tokio::time::sleep(fleet::SHIP_INTERVAL).await;
            let audit = audit.clone();
            // While the database is away, records stay in their files.
            let _ = tokio::task::spawn_blocking(move || audit.ship_and_link()).await;
        }
    }
}
