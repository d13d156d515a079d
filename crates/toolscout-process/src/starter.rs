//! One thread that starts all servers and lives as long as we do.
//!
//! On Linux a child can ask to be killed when its parent dies, but the kernel means the parent's *thread*. Threads of a
//! runtime come and go; a server that was started from one would be gone with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{SendError, Sender, channel};
use std::thread::Builder;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Runs it on that thread and returns its result; `None` if it panicked.
pub async fn ask<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = oneshot::channel();
    later(move || {
        // The caller may be gone by now; then the result is dropped here.
        let _ = sender.send(job());
    });
    receiver.await.ok()
}

/// Does it on that thread, some time soon.
pub fn later(job: impl FnOnce() + Send + 'static) {
    if let Err(SendError(job)) = thread().send(Box::new(job)) {
        // There is no such thread: a system at its limits. Better done here than not at all.
        job();
    }
}

fn thread() -> &'static Sender<Job> {
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
