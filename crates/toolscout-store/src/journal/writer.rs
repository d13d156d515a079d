//! What waits to be written, and the thread that writes it.

use super::book::{Book, lost};
use super::{OnTrouble, Pending, Record};
use parking_lot::{Condvar, Mutex};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// So many wait at most; what comes then is counted, and lost.
pub(super) const WAITING: usize = 2_048;
/// So many wait at most where no thread writes; then whoever tells of one more writes them.
const ALONE: usize = 256;
/// What comes within that time is written together.
const TOGETHER: Duration = Duration::from_millis(100);

pub(super) struct Desk {
    queue: Mutex<Queue>,
    news: Condvar,
    /// Held from taking what waits until it is written, so that who flushes knows it is all there.
    writing: Mutex<()>,
    /// What could not be written.
    lost: AtomicU64,
    has_told: AtomicBool,
    on_trouble: OnTrouble,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Pending>,
    ends: bool,
}

impl Desk {
    pub(super) fn new(on_trouble: OnTrouble) -> Self {
        Self {
            queue: Mutex::default(),
            news: Condvar::new(),
            writing: Mutex::default(),
            lost: AtomicU64::new(0),
            has_told: AtomicBool::new(false),
            on_trouble,
        }
    }

    /// Puts it to the others; says whether that are many. Who writes is woken for the first one only, and lets more gather.
    pub(super) fn put(&self, pending: Pending, is_heard: bool) -> bool {
        let mut queue = self.queue.lock();
        if queue.waiting.len() >= WAITING {
            drop(queue);
            self.lost.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        queue.waiting.push(pending);
        let count = queue.waiting.len();
        drop(queue);
        if count == 1 && is_heard {
            self.news.notify_one();
        }
        count >= ALONE
    }

    pub(super) fn flush(&self, book: &Book) {
        let _writing = self.writing.lock();
        let waiting = std::mem::take(&mut self.queue.lock().waiting);
        if !waiting.is_empty() || self.lost.load(Ordering::Relaxed) > 0 {
            self.write(book, waiting.into_iter().map(|it| it()).collect());
        }
    }

    /// Writes these, and before them how many are missing.
    pub(super) fn write(&self, book: &Book, mut records: Vec<Record>) {
        let missing = self.lost.swap(0, Ordering::Relaxed);
        let count = records.len() as u64;
        if missing > 0 {
            records.insert(0, lost(missing));
        }
        if let Err(cause) = book.append(&records) {
            self.lost.fetch_add(missing + count, Ordering::Relaxed);
            self.tell(&cause);
        }
    }

    /// Writes whatever comes, until the end.
    pub(super) fn work(&self, book: &Book) {
        loop {
            let mut queue = self.queue.lock();
            self.news.wait_while(&mut queue, |queue| queue.waiting.is_empty() && !queue.ends);
            self.news.wait_while_for(&mut queue, |queue| !queue.ends, TOGETHER);
            let ends = queue.ends;
            drop(queue);
            self.flush(book);
            if ends {
                return;
            }
        }
    }

    pub(super) fn end(&self) {
        self.queue.lock().ends = true;
        self.news.notify_all();
    }

    fn tell(&self, cause: &io::Error) {
        if !self.has_told.swap(true, Ordering::Relaxed) {
            (self.on_trouble)(cause);
        }
    }
}
