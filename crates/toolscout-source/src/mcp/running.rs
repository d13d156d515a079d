//! A server that runs: who uses it, and what it has listed since it was started.

use super::client::{Client, Definition, Listing};
use super::discovery::{Shared, list_settled, soonest, with_tail};
use super::{ClientError, Server};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::{sleep_until, timeout_at};
use toolscout_core::{Cx, Moment, SourceError, ToolName};

/// Lists that the server itself makes necessary are at least this far apart, from the end of one to the next.
const APART: Duration = Duration::from_secs(5);

/// A server that runs.
pub(super) struct Running {
    pub(super) client: Client,
    pub(super) since: Moment,
    started: Instant,
    in_use: AtomicUsize,
    answered: AtomicUsize,
    last_use: Mutex<Instant>,
    listed: Mutex<Option<Arc<Listed>>>,
    /// One listing at a time; who comes meanwhile waits for it.
    listing: tokio::sync::Mutex<()>,
}

/// What the server listed last.
struct Listed {
    tools: HashMap<ToolName, Definition>,
    /// How many changes it had announced by then.
    changes: u64,
    ended: Instant,
    good_for: Duration,
}

impl Running {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            since: Moment::now(),
            started: Instant::now(),
            in_use: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            last_use: Mutex::new(Instant::now()),
            listed: Mutex::default(),
            listing: tokio::sync::Mutex::new(()),
        }
    }

    /// Notes a use that ends when the guard is dropped.
    pub(super) fn use_it(self: &Arc<Self>) -> InUse {
        self.in_use.fetch_add(1, Ordering::Relaxed);
        *lock(&self.last_use) = Instant::now();
        InUse(self.clone())
    }

    pub(super) fn is_in_use(&self) -> bool {
        self.in_use.load(Ordering::Relaxed) > 0
    }

    pub(super) fn last_use(&self) -> Instant {
        *lock(&self.last_use)
    }

    pub(super) fn up(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many calls were answered, well or badly.
    pub(super) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    pub(super) fn has_answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// The tool's definition as the server has it now. Lists first, where that is not known: after a start, after the server
    /// said that something changed, or when the last list has grown old.
    pub(super) async fn definition(
        &self,
        shared: &Shared,
        server: &Server,
        name: &ToolName,
        cx: &Cx,
    ) -> Result<Option<Definition>, SourceError> {
        if let Some(listed) = self.current() {
            return Ok(listed.tools.get(name).cloned());
        }
        let deadline = soonest(cx, shared.dial.limits.list + APART);
        let refreshed = timeout_at(deadline.into(), self.list_when_due(shared, server, cx)).await;
        let what = || format!("listing the tools before `{name}` is called");
        refreshed
            .map_err(|_| ClientError::TimedOut { what: what(), limit: shared.dial.limits.list }.of(&server.id))??;
        Ok(lock(&self.listed).as_ref().and_then(|it| it.tools.get(name).cloned()))
    }

    /// Lists unless somebody else just has; never sooner than [`APART`] after the last list. Says whether anything changed.
    pub(super) async fn list_when_due(&self, shared: &Shared, server: &Server, cx: &Cx) -> Result<bool, SourceError> {
        let _alone = self.listing.lock().await;
        if self.current().is_some() {
            return Ok(false);
        }
        let due = lock(&self.listed).as_ref().map(|it| it.ended + APART);
        if let Some(due) = due {
            sleep_until(due.into()).await;
        }
        self.list_alone(shared, server, cx).await
    }

    /// Lists now, because somebody asked for it.
    pub(super) async fn list_now(&self, shared: &Shared, server: &Server, cx: &Cx) -> Result<bool, SourceError> {
        let _alone = self.listing.lock().await;
        self.list_alone(shared, server, cx).await
    }

    async fn list_alone(&self, shared: &Shared, server: &Server, cx: &Cx) -> Result<bool, SourceError> {
        let begun = Instant::now();
        let changes = *self.client.list_changes().borrow();
        let deadline = soonest(cx, shared.dial.limits.list);
        let record = shared.read(server, cx)?;
        let listing = list_settled(&self.client, deadline).await.map_err(|it| with_tail(it, &self.client));
        match listing {
            Ok(listing) => {
                *lock(&self.listed) = Some(Arc::new(Listed::of(&listing, changes)));
                shared.succeed(server, cx, record, &listing, &self.client, begun).map(|it| it.changed)
            }
            Err(error) => Err(shared.fail(server, cx, record, error, begun)),
        }
    }

    /// The last list, if there is no reason to make another.
    fn current(&self) -> Option<Arc<Listed>> {
        let listed = lock(&self.listed).clone()?;
        let is_told = *self.client.list_changes().borrow() == listed.changes;
        (is_told && listed.ended.elapsed() <= listed.good_for).then_some(listed)
    }
}

impl Listed {
    fn of(listing: &Listing, changes: u64) -> Self {
        Self {
            tools: listing.tools.iter().map(|it| (it.name.clone(), it.clone())).collect(),
            changes,
            ended: Instant::now(),
            // A server that asks to be listed anew all the time is listed as often as one that announces changes all the time.
            good_for: listing.ttl.unwrap_or(super::record::USUAL_TTL).max(APART),
        }
    }
}

/// A use of a running server; keeps it from being stopped as idle.
pub(super) struct InUse(pub(super) Arc<Running>);

impl Drop for InUse {
    fn drop(&mut self) {
        *lock(&self.0.last_use) = Instant::now();
        self.0.in_use.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
