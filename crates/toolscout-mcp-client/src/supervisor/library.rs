//! Keeps the record of a running server's library up to date.

use super::{Supervisor, refresh};
use crate::discovery::library::list;
use crate::pace::ListingPace;
use crate::peer::LibraryChanges;
use crate::record::{KnownLibrary, USUAL_TTL};
use crate::running::RunningServer;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::{sleep, sleep_until};
use toolscout_core::{Caller, Cx, Moment};

/// Changes within this time are handled together.
const DEBOUNCE: Duration = Duration::from_millis(20);

/// Updates the record of a running server's library after each change, if there are subscribers.
/// Never returns.
pub(super) async fn keep_library_current(
    supervisor: &Weak<Supervisor>,
    running: &Arc<RunningServer>,
) {
    let mut changes = running.client.router().library_changes();
    let (server, context) = (&*running.server, &*running.context);
    let cx = Cx::new(Caller::Mcp);
    let mut is_due = context.read(server, &cx).is_ok_and(|record| {
        let is_fresh = |known_library: &KnownLibrary| {
            let is_recent =
                known_library.listed.is_some_and(|value| value.age(Moment::now()) < USUAL_TTL);
            is_recent && known_library.configuration == context.configuration(server)
        };
        !record.library.as_ref().is_some_and(is_fresh)
    });
    let mut pace = ListingPace::new(context.connect.limits.listing_interval);
    if !context.is_recorded() {
        return report_library_changes(supervisor, changes, pace).await;
    }
    loop {
        let has_subscribers =
            supervisor.upgrade().is_some_and(|supervisor| supervisor.has_subscribers());
        if is_due && has_subscribers {
            if let Some(due) = pace.due(Instant::now()) {
                sleep_until(due.into()).await;
            }
            changes.mark_unchanged();
            let listing = list(&running.client, context, None).await;
            pace.listed(Instant::now());
            let changed = context.store_library(server, &cx, &running.client, listing);
            if let (Some(this), Ok(changed)) = (supervisor.upgrade(), changed) {
                changed.into_iter().for_each(|event| this.emit(event));
            }
        }
        if changes.changed().await.is_err() {
            return pending().await;
        }
        is_due = true;
        // Waits, so that changes in quick succession cause one listing.
        sleep(DEBOUNCE).await;
    }
}

/// Refreshes the main connection after each change of the library. Never returns.
async fn report_library_changes(
    supervisor: &Weak<Supervisor>,
    mut changes: watch::Receiver<LibraryChanges>,
    mut pace: ListingPace,
) {
    while changes.changed().await.is_ok() {
        sleep(DEBOUNCE).await;
        if let Some(due) = pace.due(Instant::now()) {
            sleep_until(due.into()).await;
        }
        changes.mark_unchanged();
        refresh::report_change(supervisor).await;
        pace.listed(Instant::now());
    }
    pending().await
}
