//! Programs that may finish their work when their call is cancelled.
//!
//! The program runs in its own task. If the caller drops the call, the task sends SIGTERM, keeps
//! reading the program's output for [`GRACE`](super::GRACE), and then kills the whole group.

use super::{GRACE, ProgramOutput, ProgramTask, REAP_LIMIT, Taps, run};
use parking_lot::Mutex;
use std::fmt;
use std::sync::{Arc, LazyLock};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolscout_core::{OutputSink, SourceError};

/// The tasks of running programs; they belong to the process, because a cancelled call is gone
/// before its program is.
static TASKS: LazyLock<Mutex<JoinSet<()>>> = LazyLock::new(Mutex::default);

/// Receives each line of stderr as it is written; returns the text to keep instead, if any.
#[derive(Clone)]
pub struct StderrFilter(Arc<FilterFunction>);

type FilterFunction = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

impl StderrFilter {
    /// A filter that calls this function.
    pub fn new(filter: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(filter))
    }

    pub(super) fn apply(&self, line: &[u8]) -> Option<Vec<u8>> {
        (self.0)(line)
    }
}

impl fmt::Debug for StderrFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StderrFilter")
    }
}

/// As [`start`](super::start), but a dropped call gives the program time to react to SIGTERM before
/// it is killed. [`drain`] waits for such programs.
pub async fn start_graceful(
    task: ProgramTask,
    filter: StderrFilter,
    sink: Option<OutputSink>,
) -> Result<ProgramOutput, SourceError> {
    let lost = SourceError::Unavailable {
        id: task.id.clone(),
        what: format!("`{}` was stopped", task.display_name),
    };
    let (_cancel, cancelled) = oneshot::channel::<()>();
    let (sender, receiver) = oneshot::channel();
    {
        let mut tasks = TASKS.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let cancelled = async {
                // The sender is only ever dropped, together with the call.
                let _ = cancelled.await;
            };
            let _ = sender.send(
                run(&task, Taps { filter: Some(&filter), sink: sink.as_ref() }, cancelled).await,
            );
        });
    }
    receiver.await.unwrap_or(Err(lost))
}

/// Waits until all programs of cancelled calls have ended. Call it before the runtime is shut down,
/// which would kill them at once.
pub async fn drain() {
    let mut tasks = std::mem::take(&mut *TASKS.lock());
    let _ = timeout(GRACE + REAP_LIMIT, async { while tasks.join_next().await.is_some() {} }).await;
}
