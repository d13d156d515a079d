//! The three pipes of a child process, each with its own task.

use super::super::ClientError;
use super::super::wire::{Outgoing, WireObserver};
use super::lines::{LineBuffer, TooLong};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};
use toolscout_process::tail::OutputTail;

const CHUNK_BYTES: usize = 64 << 10;
/// Messages are joined up to about this many bytes. It is less than a pipe holds, so that a write
/// rarely blocks in the middle of a message.
const MAX_BATCH_BYTES: usize = 16 << 10;
/// The rate limit for reading, in bytes per second. An honest server never comes near it. The
/// excess of a flood stays in the pipe, where it blocks only the server itself.
const OUTPUT_RATE: u32 = 64 << 20;
const ERROR_RATE: u32 = 16 << 20;

/// How long the exit of a process may take to be noticed.
const EXIT_NOTICE_TIME: Duration = Duration::from_millis(500);

/// Reads messages until the output ends.
pub(super) async fn read(
    pipe: Option<impl AsyncRead + Unpin>,
    observer: &dyn WireObserver,
    limit: usize,
) -> Result<(), TooLong> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let (mut lines, mut throttle) = (LineBuffer::new(limit), ReadThrottle::new(OUTPUT_RATE));
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        lines.push(&chunk[..count], |lines| observer.message(lines))?;
        throttle.throttle_by(count).await;
    }
    // An incomplete message at the end is ignored.
    Ok(())
}

/// Reads all of stderr, so that the process never blocks, and keeps the end of it.
pub(super) async fn drain(
    pipe: Option<impl AsyncRead + Unpin>,
    tail: Arc<Mutex<OutputTail>>,
    drained: oneshot::Sender<()>,
) {
    if let Some(mut pipe) = pipe {
        let mut throttle = ReadThrottle::new(ERROR_RATE);
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
            tail.lock().push(&chunk[..count]);
            throttle.throttle_by(count).await;
        }
    }
    let _ = drained.send(());
}

/// Writes queued messages until the wire is closed. Then the pipe is closed, which signals the
/// server to exit.
pub(super) async fn write(
    pipe: Option<impl AsyncWrite + Unpin>,
    mut queued: mpsc::Receiver<Outgoing>,
    observer: Arc<dyn WireObserver>,
    mut closing: watch::Receiver<bool>,
) {
    let Some(mut pipe) = pipe else { return };
    let writing = async {
        let mut is_broken = false;
        let mut batch = MessageBatch::default();
        while let Some(first) = queued.recv().await {
            batch.fill(first, &mut queued);
            let written = pipe.write_all(&batch.bytes).await;
            if written.is_err() && !std::mem::replace(&mut is_broken, true) {
                // The process has probably exited; the keeper then reports a better error.
                sleep(EXIT_NOTICE_TIME).await;
            }
            for id in batch.ids.iter().filter(|_| is_broken) {
                observer.failed(*id, ClientError::lost("it has closed its input"));
            }
        }
    };
    tokio::select! {
        () = writing => {}
        _ = closing.wait_for(|it| *it) => {}
    }
}

/// Messages that are written together: those that are queued when the pipe is ready.
#[derive(Default)]
struct MessageBatch {
    bytes: Vec<u8>,
    ids: Vec<u64>,
}

impl MessageBatch {
    fn fill(&mut self, first: Outgoing, queued: &mut mpsc::Receiver<Outgoing>) {
        self.bytes.clear();
        self.bytes.shrink_to(CHUNK_BYTES);
        self.ids.clear();
        let now = std::time::Instant::now();
        let mut next = Some(first);
        while let Some(message) = next {
            // The deadline may have passed while an earlier message blocked the pipe.
            if message.id.is_none() || message.deadline > now {
                self.bytes.extend_from_slice(message.body.as_bytes());
                self.bytes.push(b'\n');
                self.ids.extend(message.id);
            }
            next = if self.bytes.len() < MAX_BATCH_BYTES { queued.try_recv().ok() } else { None };
        }
    }
}

/// Throttles reading to a rate, after a burst of one second's worth.
struct ReadThrottle {
    rate: f64,
    allowance: f64,
    updated: Instant,
}

impl ReadThrottle {
    fn new(rate: u32) -> Self {
        let rate = f64::from(rate);
        Self { rate, allowance: rate, updated: Instant::now() }
    }

    async fn throttle_by(&mut self, count: usize) {
        let now = Instant::now();
        let earned = (now - self.updated).as_secs_f64() * self.rate;
        self.updated = now;
        let used = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        self.allowance = (self.allowance + earned).min(self.rate) - used;
        // It does not sleep after every chunk, because the resolution of a timer is about a
        // millisecond.
        if self.allowance < -self.rate / 64.0 {
            sleep(Duration::from_secs_f64(-self.allowance / self.rate)).await;
        }
    }
}
