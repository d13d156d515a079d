//! The one background writer of the workspace: a bounded queue, and a thread that writes it in
//! batches.

#[cfg(test)]
mod tests;

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Queues items and passes them to a `write` function in batches, in order. Pushing never blocks.
///
/// The thread starts with [`start`](Self::start), so that a short command needs none: it
/// [flushes](Self::flush). Dropping the writer writes everything that is queued.
pub struct BatchWriter<T> {
    shared: Arc<SharedQueue<T>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    is_started: AtomicBool,
}

/// The limits of a [`BatchWriter`].
#[derive(Debug, Clone, Copy)]
pub struct BatchLimits {
    /// Name of the thread.
    pub name: &'static str,
    /// Items that may be queued; more are dropped and counted.
    pub capacity: usize,
    /// Items of one batch.
    pub batch: usize,
    /// How long the thread lets a batch fill up.
    pub delay: Duration,
}

/// Writes a batch. The number is how many items were dropped since the last batch because the queue
/// was full.
type Write<T> = Box<dyn FnMut(Vec<T>, u64) + Send>;

struct SharedQueue<T> {
    limits: BatchLimits,
    queue: Mutex<BatchQueue<T>>,
    changed: Condvar,
    /// Locked from taking a batch until it is written, so that batches stay in order and a flush
    /// waits for the last one.
    write: Mutex<Write<T>>,
}

struct BatchQueue<T> {
    items: Vec<T>,
    dropped: u64,
    is_closed: bool,
}

impl<T: Send + 'static> BatchWriter<T> {
    /// A writer without a thread yet.
    pub fn new(limits: BatchLimits, write: impl FnMut(Vec<T>, u64) + Send + 'static) -> Self {
        let queue = Mutex::new(BatchQueue { items: Vec::new(), dropped: 0, is_closed: false });
        let shared = SharedQueue {
            limits,
            queue,
            changed: Condvar::new(),
            write: Mutex::new(Box::new(write)),
        };
        Self {
            shared: Arc::new(shared),
            thread: Mutex::default(),
            is_started: AtomicBool::new(false),
        }
    }

    /// Queues an item, or drops and counts it if the queue is full. Returns how many are queued
    /// now.
    pub fn push(&self, item: T) -> usize {
        let limits = &self.shared.limits;
        let mut queue = self.shared.queue.lock();
        if queue.items.len() >= limits.capacity {
            queue.dropped += 1;
            return queue.items.len();
        }
        queue.items.push(item);
        let count = queue.items.len();
        drop(queue);
        // The first item starts the delay, and a full batch ends it. Other items need no wake-up.
        if count == 1 || count == limits.batch {
            self.shared.changed.notify_one();
        }
        count
    }

    /// Starts the thread, unless it runs. If the system refuses one, items are written by `flush`
    /// and on drop only.
    pub fn start(&self) {
        if self.is_started() {
            return;
        }
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let shared = self.shared.clone();
            let spawned = thread::Builder::new()
                .name(shared.limits.name.to_owned())
                .spawn(move || shared.run());
            *thread = spawned.ok();
            self.is_started.store(thread.is_some(), Ordering::Relaxed);
        }
    }

    /// Whether the thread was started.
    pub fn is_started(&self) -> bool {
        self.is_started.load(Ordering::Relaxed)
    }

    /// Writes everything that is queued, on the calling thread, after any batch that is being
    /// written.
    pub fn flush(&self) {
        self.shared.write_all(&mut self.shared.write.lock());
    }

    /// Like [`flush`](Self::flush), but gives up if a batch that is being written takes longer than
    /// this.
    pub fn flush_within(&self, limit: Duration) -> bool {
        let write = self.shared.write.try_lock_for(limit);
        write.map(|mut write| self.shared.write_all(&mut write)).is_some()
    }
}

impl<T> SharedQueue<T> {
    fn run(&self) {
        let mut is_closed = false;
        while !is_closed {
            let mut queue = self.queue.lock();
            self.changed.wait_while(&mut queue, |queue| queue.items.is_empty() && !queue.is_closed);
            let is_filling = |queue: &mut BatchQueue<T>| {
                queue.items.len() < self.limits.batch && !queue.is_closed
            };
            self.changed.wait_while_for(&mut queue, is_filling, self.limits.delay);
            is_closed = queue.is_closed;
            drop(queue);
            self.write_all(&mut self.write.lock());
        }
    }

    fn write_all(&self, write: &mut Write<T>) {
        loop {
            let mut queue = self.queue.lock();
            let dropped = std::mem::take(&mut queue.dropped);
            let count = queue.items.len().min(self.limits.batch);
            let rest = queue.items.split_off(count);
            let batch = std::mem::replace(&mut queue.items, rest);
            drop(queue);
            if batch.is_empty() && dropped == 0 {
                return;
            }
            write(batch, dropped);
        }
    }
}

impl<T> Drop for BatchWriter<T> {
    fn drop(&mut self) {
        self.shared.queue.lock().is_closed = true;
        self.shared.changed.notify_all();
        match self.thread.get_mut().take() {
            // The last item may hold the last reference to this writer; then the thread cannot wait
            // for itself.
            Some(thread) if thread.thread().id() == thread::current().id() => {}
            Some(thread) => drop(thread.join()),
            None => self.shared.write_all(&mut self.shared.write.lock()),
        }
    }
}
