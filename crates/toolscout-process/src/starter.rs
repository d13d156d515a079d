//! One thread that starts all servers and lives as long as the process.
//!
//! On Linux a child can request to be killed when its parent dies, but the kernel applies this to
//! the parent's *thread*. Threads of a runtime come and go; a server started from one would die
//! with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{SendError, Sender, channel};
use std::thread::Builder;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Runs the job on that thread and returns its result; `None` if it panicked.
pub async fn run<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = oneshot::channel();
    queue(move || {
        // The caller may have been dropped; then the result is dropped here.
        let _ = sender.send(job());
    });
    receiver.await.ok()
}

/// Queues the job for that thread.
pub fn queue(job: impl FnOnce() + Send + 'static) {
    if let Err(SendError(job)) = sender_to_thread().send(Box::new(job)) {
        // The thread could not be created, because the system is at its limits. Running the job
        // here is better than not running it.
        job();
    }
}

fn sender_to_thread() -> &'static Sender<Job> {
    static THREAD: OnceLock<Sender<Job>> = OnceLock::new();
    THREAD.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        let _ = Builder::new().name("toolscout-starter".to_owned()).spawn(move || {
            for job in jobs {
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        });
        sender
    })
}
