//! The background tasks of a wire: limited in number, and aborted with the wire.

use super::super::ClientError;
use super::super::limits::Limits;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout_at;

/// Messages that are no requests and are on their way at once. They have places of their own, so that a cancellation
/// gets through where every request hangs.
const OTHERS: usize = 16;

/// The tasks of one wire; all end with it.
pub(crate) struct RequestTasks {
    requests: Arc<Semaphore>,
    others: Arc<Semaphore>,
    /// None once the wire is closed.
    running: Mutex<Option<RunningTasks>>,
}

#[derive(Default)]
struct RunningTasks {
    tasks: JoinSet<()>,
    by_request: HashMap<u64, AbortHandle>,
}

/// A place among what may be under way at once, given back on drop.
pub(crate) struct TaskPermit {
    _permit: OwnedSemaphorePermit,
}

impl RequestTasks {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(limits.pending)),
            others: Arc::new(Semaphore::new(OTHERS)),
            running: Mutex::new(Some(RunningTasks::default())),
        }
    }

    /// Waits for a place, for a request or for any other message.
    pub(crate) async fn place(&self, is_request: bool, deadline: Instant) -> Result<TaskPermit, ClientError> {
        let places = if is_request { &self.requests } else { &self.others };
        let limit = deadline.saturating_duration_since(Instant::now());
        let permit = timeout_at(deadline.into(), places.clone().acquire_owned()).await;
        let what = || "waiting for earlier requests".to_owned();
        let permit = permit.map_err(|_| ClientError::TimedOut { what: what(), limit })?;
        Ok(TaskPermit { _permit: permit.map_err(|_| closed())? })
    }

    /// Starts a task; one that belongs to a request can be ended by the request's id.
    pub(crate) fn spawn(
        &self,
        request: Option<u64>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ClientError> {
        let mut running = self.running.lock();
        let running = running.as_mut().ok_or_else(closed)?;
        while running.tasks.try_join_next().is_some() {}
        running.by_request.retain(|_, it| !it.is_finished());
        let handle = running.tasks.spawn(task);
        if let Some(id) = request {
            running.by_request.insert(id, handle);
        }
        Ok(())
    }

    /// Ends the task of this request, if it has one that still runs.
    pub(crate) fn end(&self, request: u64) {
        if let Some(handle) = self.running.lock().as_mut().and_then(|it| it.by_request.remove(&request)) {
            handle.abort();
        }
    }

    /// Ends all tasks and waits until they are gone. Nothing can be started any more. Says whether this was the first time.
    pub(crate) async fn end_all(&self) -> bool {
        self.requests.close();
        self.others.close();
        let running = self.running.lock().take();
        let was_open = running.is_some();
        if let Some(mut running) = running {
            running.tasks.shutdown().await;
        }
        was_open
    }
}

#[cfg(test)]
impl RequestTasks {
    /// How many have not ended.
    pub(crate) fn count(&self) -> usize {
        let mut running = self.running.lock();
        let Some(running) = running.as_mut() else { return 0 };
        while running.tasks.try_join_next().is_some() {}
        running.tasks.len()
    }
}

fn closed() -> ClientError {
    ClientError::lost("the connection has been closed")
}
