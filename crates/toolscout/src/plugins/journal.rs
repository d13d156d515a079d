//! Writes down what happens, and shows it: the audit, the timeline and the cost meter are three looks at one journal.
//!
//! The files are [`toolscout_store::journal`]'s, and what is written to them and read from them is [`toolscout_telemetry`]'s. Here
//! they are configured, and the commands that show them.

mod pins;

use crate::config::Keep;
use crate::{AppError, Decorator, Environment, Next, Plugin, RunCx, Setup, Startup};
use std::sync::{Arc, OnceLock};
use toolscout_core::BoxFuture;
use toolscout_core::event::Observer;
use toolscout_store::journal::{Journal as Book, KEEP};
use toolscout_surface::codes::Exit;
use toolscout_telemetry::JournalObserver;
use toolscout_telemetry::audit::{self, AuditPage, AuditQuery, AuditVerification};
use toolscout_telemetry::stats::{self, UsageStats};

pub(crate) use pins::pins as suggest_pins;

/// Says no for one run.
const VARIABLE: &str = "TOOLSCOUT_NO_JOURNAL";

/// Records events, and adds the operations `audit …`, `stats` and `suggest pins`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Journal;

impl Plugin for Journal {
    fn id(&self) -> &str {
        "journal"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        let handle = JournalHandle::default();
        let opening = handle.clone();
        cx.add_observer(move |startup| Ok(opening.open(startup)));
        cx.decorate(handle.clone());
        cx.parts.journal = Some(handle);
        Box::pin(async { Ok(()) })
    }
}

impl Journal {
    /// What agents and people did, the newest first.
    pub fn timeline(environment: &Environment, query: &AuditQuery) -> Result<AuditPage, AppError> {
        Ok(audit::timeline(environment.state_dir().as_deref(), query)?)
    }

    /// What was called and decided, the newest first.
    pub fn audit(environment: &Environment, query: &AuditQuery) -> Result<AuditPage, AppError> {
        Ok(audit::audit(environment.state_dir().as_deref(), query)?)
    }

    /// Whether the record is as it was written. Reads all of it.
    pub fn verify(environment: &Environment) -> Result<AuditVerification, AppError> {
        Ok(audit::verify(environment.state_dir().as_deref(), &*environment.store())?)
    }

    /// What tools have cost and saved, of all clients and projects, since then (`7d`, `2026-07-28`); of all that is kept where
    /// nothing is said. Reads all of it.
    pub fn stats(environment: &Environment, since: Option<&str>) -> Result<UsageStats, AppError> {
        Ok(stats::count(environment.state_dir().as_deref(), since)?.stats())
    }
}

/// Has what happens written down while it happens, in a process that stays. A short command writes it all when it ends.
pub(crate) fn keep_writing(cx: &RunCx) {
    if let Some(book) = book(cx) {
        book.keep_writing();
    }
}

/// Writes what has happened in this process, so that a reader sees it.
pub(crate) fn flush_handle(handle: Option<&JournalHandle>) {
    if let Some(book) = handle.and_then(|handle| handle.book.get()) {
        book.flush();
    }
}

fn book(cx: &RunCx) -> Option<Arc<Book>> {
    cx.workspace().parts.journal.as_ref()?.book.get().cloned()
}

/// Where a run's journal is, once it is open.
#[derive(Clone, Default)]
pub(crate) struct JournalHandle {
    book: Arc<OnceLock<Arc<Book>>>,
}

impl JournalHandle {
    /// Whether events are recorded.
    pub(crate) fn is_open(&self) -> bool {
        self.book.get().is_some()
    }

    fn open(&self, startup: &Startup) -> Option<Arc<dyn Observer>> {
        let environment = &startup.environment;
        let keep = match startup.config.settings.journal.keep {
            Some(Keep::Off) => return None,
            Some(Keep::Bytes(bytes)) => bytes,
            None => KEEP,
        };
        let is_off = environment.var(VARIABLE).is_some() || environment.is_made_up();
        let state = environment.state_dir().filter(|_| !is_off)?;
        let reporting = environment.clone();
        let place = toolscout_store::journal::dir(&state);
        let on_trouble = move |cause: &std::io::Error| {
            let what = format!("what happens is not written down in `{}`: {cause}", place.display());
            tracing::warn!(event = "journal_unwritten", error = what);
            let hint = "set TOOLSCOUT_STATE_DIR to a folder you can write";
            reporting.say(&format!("warning: {what}\n  hint: {hint}\n"));
        };
        let book = Arc::new(Book::new(&state, environment.store(), keep, Box::new(on_trouble)));
        let _ = self.book.set(book.clone());
        Some(Arc::new(JournalObserver::new(book)))
    }
}

/// Writes all down when a command is done, or is interrupted.
impl Decorator for JournalHandle {
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let _flushes = self.book.get().map(|it| Flush(it.clone()));
            next.run(cx).await
        })
    }
}

struct Flush(Arc<Book>);

impl Drop for Flush {
    fn drop(&mut self) {
        self.0.flush();
    }
}
