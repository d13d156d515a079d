//! Runs work within the deadline of a request, or on a thread that may block.

use toolscout_core::Cx;

/// The result of the work, or `None` if the request's deadline passes first.
pub(crate) async fn until_deadline<T>(cx: &Cx, work: impl Future<Output = T>) -> Option<T> {
    match cx.deadline {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), work).await.ok(),
        None => Some(work.await),
    }
}

/// Runs the work on a thread for blocking work. `None` if the runtime shuts down before it has run.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Some(done),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}
