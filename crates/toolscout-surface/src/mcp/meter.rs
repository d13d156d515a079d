//! Counts what is put before models, on a thread of its own: an answer does not wait until somebody knows how long it is.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use toolscout_core::Cx;
use toolscout_core::event::{ContextUse, EventKind};

/// So many answers wait to be counted; what comes then is counted by nobody.
const WAITING: usize = 256;
/// What comes within that time is counted together, so that not every answer has to wake somebody.
const TOGETHER: Duration = Duration::from_millis(50);

/// Tells those who look on how much was shown. The thread begins with the first answer, and ends with this.
#[derive(Default)]
pub(super) struct Meter {
    desk: Arc<Desk>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

type Count = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Desk {
    queue: Mutex<Queue>,
    news: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Count>,
    ends: bool,
}

impl Meter {
    /// Something was shown to who made this request. Counts nothing where nobody looks on.
    pub(super) fn shown(&self, cx: &Cx, count: impl FnOnce() -> ContextUse + Send + 'static) {
        if cx.observers.is_empty() {
            return;
        }
        // What is left of the request is who made it.
        let cx = Cx { asker: None, counterpart: None, progress: None, ..cx.clone() };
        match self.desk.put(Box::new(move || cx.emit(|| EventKind::ContextUse(count())))) {
            0 => tracing::debug!(event = "not_counted"),
            1 => self.wake(),
            _ => {}
        }
    }

    /// Without a thread nothing is counted, and all else goes on.
    fn wake(&self) {
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let desk = self.desk.clone();
            *thread = std::thread::Builder::new().name("meter".to_owned()).spawn(move || desk.work()).ok();
        }
        self.desk.news.notify_one();
    }
}

impl Desk {
    /// How many wait now; none where there was no room.
    fn put(&self, count: Count) -> usize {
        let mut queue = self.queue.lock();
        if queue.waiting.len() >= WAITING {
            return 0;
        }
        queue.waiting.push(count);
        queue.waiting.len()
    }

    fn work(&self) {
        loop {
            let mut queue = self.queue.lock();
            self.news.wait_while(&mut queue, |queue| queue.waiting.is_empty() && !queue.ends);
            self.news.wait_while_for(&mut queue, |queue| !queue.ends, TOGETHER);
            let (waiting, ends) = (std::mem::take(&mut queue.waiting), queue.ends);
            drop(queue);
            waiting.into_iter().for_each(|it| it());
            if ends {
                return;
            }
        }
    }
}

impl Drop for Meter {
    /// What was shown is told before those who look on are gone.
    fn drop(&mut self) {
        let thread = self.thread.get_mut().take();
        self.desk.queue.lock().ends = true;
        self.desk.news.notify_all();
        // The last answer may be what lets go of us.
        if let Some(thread) = thread.filter(|it| it.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolscout_core::Caller;
    use toolscout_core::event::{Event, Observer, Observers};

    #[derive(Default)]
    struct Heard(Mutex<Vec<usize>>);

    impl Observer for Heard {
        fn observe(&self, event: &Event) {
            if let EventKind::ContextUse(shown) = &event.kind {
                self.0.lock().push(shown.tokens);
            }
        }
    }

    fn shown(tokens: usize) -> ContextUse {
        ContextUse { what: "list", tools: 1, tokens, ..ContextUse::default() }
    }

    #[test]
    fn what_was_shown_is_told_in_its_order_at_the_latest_at_the_end() {
        let heard = Arc::new(Heard::default());
        let cx = Cx { observers: Observers::new(vec![heard.clone()]), ..Cx::new(Caller::Mcp) };
        let meter = Meter::default();
        (0..WAITING / 2).for_each(|it| meter.shown(&cx, move || shown(it)));
        drop(meter);
        assert_eq!(*heard.0.lock(), (0..WAITING / 2).collect::<Vec<_>>());
    }

    #[test]
    fn where_nobody_looks_on_nothing_is_counted() {
        let meter = Meter::default();
        meter.shown(&Cx::new(Caller::Mcp), || panic!("nobody wants to know"));
        assert!(meter.thread.lock().is_none() && meter.desk.queue.lock().waiting.is_empty());
    }

    /// The first one is held up until all others were told.
    #[test]
    fn more_than_there_is_room_for_is_counted_by_nobody() {
        let heard = Arc::new(Heard::default());
        let cx = Cx { observers: Observers::new(vec![heard.clone()]), ..Cx::new(Caller::Mcp) };
        let (meter, gate) = (Meter::default(), Arc::new((Mutex::new((false, false)), Condvar::new())));
        let held = gate.clone();
        meter.shown(&cx, move || {
            let mut state = held.0.lock();
            state.0 = true;
            held.1.notify_all();
            held.1.wait_while(&mut state, |it| !it.1);
            shown(0)
        });
        gate.1.wait_while(&mut gate.0.lock(), |it| !it.0);
        (1..=WAITING + 9).for_each(|it| meter.shown(&cx, move || shown(it)));
        gate.0.lock().1 = true;
        gate.1.notify_all();
        drop(meter);
        assert_eq!(heard.0.lock().len(), 1 + WAITING);
    }
}
