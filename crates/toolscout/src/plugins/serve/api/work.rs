//! Work that nobody waits for: begun by a request, and ended with the program.

use parking_lot::Mutex;
use std::future::Future;
use tokio::task::JoinSet;
use toolscout_surface::api::{Code, Trouble};

/// So much may be under way at once.
const TOGETHER: usize = 64;

/// Work that nobody waits for. Dropping it ends what is under way.
#[derive(Default)]
pub(super) struct Work(Mutex<JoinSet<()>>);

impl Work {
    /// Begins this, if not too much is under way.
    pub(super) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) -> Result<(), Trouble> {
        let mut tasks = self.0.lock();
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= TOGETHER {
            return Err(Trouble::new(Code::TooManyRequests, "too many servers are being started or asked at once"));
        }
        tasks.spawn(work);
        Ok(())
    }
}

/// Waits for files and for the store where nobody else has to.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    let gone = || Trouble::new(Code::Conflict, "the program is ending");
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(gone()))
}
