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

/// The limit of concurrent messages that are not requests. They have a semaphore of their own, so
/// that a cancellation is sent even if all request permits are taken.
const MAX_OTHERS: usize = 16;

/// The tasks of one wire; all are aborted with it.
pub(crate) struct RequestTasks {
    requests: Arc<Semaphore>,
    others: Arc<Semaphore>,
    /// `None` once the wire is closed.
    running: Mutex<Option<RunningTasks>>,
}

#[derive(Default)]
struct RunningTasks {
    tasks: JoinSet<()>,
    by_request: HashMap<u64, AbortHandle>,
}

/// A permit for one concurrent message, released on drop.
pub(crate) struct TaskPermit {
    _permit: OwnedSemaphorePermit,
}

impl RequestTasks {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(limits.pending)),
            others: Arc::new(Semaphore::new(MAX_OTHERS)),
            running: Mutex::new(Some(RunningTasks::default())),
        }
    }

    /// Waits for a permit, for a request or for any other message.
    pub(crate) async fn acquire(
        &self,
        is_request: bool,
        deadline: Instant,
    ) -> Result<TaskPermit, ClientError> {
        let semaphore = if is_request { &self.requests } else { &self.others };
        let limit = deadline.saturating_duration_since(Instant::now());
        let permit = timeout_at(deadline.into(), semaphore.clone().acquire_owned()).await;
        let what = || "waiting for earlier requests".to_owned();
        let permit = permit.map_err(|_| ClientError::TimedOut { what: what(), limit })?;
        Ok(TaskPermit { _permit: permit.map_err(|_| closed())? })
    }

    /// Spawns a task. A task of a request can be aborted by the request's id.
    pub(crate) fn spawn(
        &self,
        request: Option<u64>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ClientError> {
        let mut running = self.running.lock();
        let running = running.as_mut().ok_or_else(closed)?;
        while running.tasks.try_join_next().is_some() {}
        running.by_request.retain(|_, handle| !handle.is_finished());
        let handle = running.tasks.spawn(task);
        if let Some(id) = request {
            running.by_request.insert(id, handle);
        }
        Ok(())
    }

    /// Aborts the task of this request, if it is still running.
    pub(crate) fn abort(&self, request: u64) {
        if let Some(handle) =
            self.running.lock().as_mut().and_then(|running| running.by_request.remove(&request))
        {
            handle.abort();
        }
    }

    /// Aborts all tasks and waits until they have ended. No task can be spawned afterwards. Returns
    /// whether this is the first call.
    pub(crate) async fn shutdown(&self) -> bool {
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
    /// The number of running tasks.
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
