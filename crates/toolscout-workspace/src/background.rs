//! Background tasks that requests start without waiting for them; they end with the program.

use parking_lot::Mutex;
use std::future::Future;
use tokio::task::JoinSet;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The maximum number of concurrent tasks.
const LIMIT: usize = 64;

/// Background tasks. Dropping this cancels them.
#[derive(Default)]
pub(crate) struct BackgroundTasks(Mutex<JoinSet<()>>);

impl BackgroundTasks {
    /// Starts a task, unless too many are running.
    pub(crate) fn spawn(
        &self,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), OperationError> {
        let mut tasks = self.0.lock();
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= LIMIT {
            return Err(OperationError::new(
                ErrorCode::TooManyRequests,
                "too many servers are starting at the same time",
            ));
        }
        tasks.spawn(task);
        Ok(())
    }
}
