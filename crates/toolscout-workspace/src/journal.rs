//! The journal of a run: opening it, and reading it.

mod pins;

use crate::{AppError, Environment};
use std::sync::{Arc, OnceLock};
use toolscout_config::JournalRetention;
use toolscout_core::event::Observer;
use toolscout_store::journal::{DEFAULT_LIMIT, Journal};
use toolscout_telemetry::JournalObserver;
use toolscout_telemetry::audit::{self, AuditPage, AuditQuery, AuditVerification};
use toolscout_telemetry::stats::series::{self, SeriesQuery, UsageSeries};
use toolscout_telemetry::stats::{self, UsageStats};

pub use pins::suggest_pins;

/// Turns the journal off for one run.
const DISABLE_VARIABLE: &str = "TOOLSCOUT_NO_JOURNAL";

/// Events of all kinds, newest first.
pub fn timeline(environment: &Environment, query: &AuditQuery) -> Result<AuditPage, AppError> {
    Ok(audit::timeline(environment.state_dir().as_deref(), query)?)
}

/// Calls and decisions, newest first.
pub fn calls_and_decisions(
    environment: &Environment,
    query: &AuditQuery,
) -> Result<AuditPage, AppError> {
    Ok(audit::audit(environment.state_dir().as_deref(), query)?)
}

/// Checks the whole chain of records.
pub fn verify(environment: &Environment) -> Result<AuditVerification, AppError> {
    Ok(audit::verify(environment.state_dir().as_deref(), &*environment.store())?)
}

/// The cost and savings of tools, for all clients and projects, since a time (`7d`,
/// `2026-07-28`); without one, for the whole journal.
pub fn usage(environment: &Environment, since: Option<&str>) -> Result<UsageStats, AppError> {
    Ok(stats::count(environment.state_dir().as_deref(), since)?.stats())
}

/// Usage over time, for all clients and projects.
pub fn usage_series(
    environment: &Environment,
    query: &SeriesQuery,
) -> Result<UsageSeries, AppError> {
    Ok(series::series(environment.state_dir().as_deref(), query)?)
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
        let state = environment.state_dir().filter(|_| !is_disabled)?;
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
}
