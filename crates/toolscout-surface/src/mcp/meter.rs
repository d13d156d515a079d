//! Counts the tokens that are sent to models. It runs on its own thread, so that no response waits
//! for the count.

use std::time::Duration;
use toolscout_core::event::{ContextUse, EventKind};
use toolscout_core::{BatchLimits, BatchWriter, Cx};

/// Maximum number of responses in the queue; more are not counted.
const CAPACITY: usize = 256;
const LIMITS: BatchLimits = BatchLimits {
    name: "meter",
    capacity: CAPACITY,
    batch: CAPACITY,
    delay: Duration::from_millis(50),
};

type Count = Box<dyn FnOnce() + Send>;

/// Emits a [`ContextUse`] event for each response. The thread starts with the first one.
pub(super) struct Meter(BatchWriter<Count>);

impl Default for Meter {
    fn default() -> Self {
        Self(BatchWriter::new(LIMITS, |batch: Vec<Count>, dropped| {
            if dropped > 0 {
                tracing::debug!(event = "responses_not_counted", responses = dropped);
            }
            batch.into_iter().for_each(|count| count());
        }))
    }
}

impl Meter {
    /// Counts a response to this request, if it has observers.
    pub(super) fn record(&self, cx: &Cx, count: impl FnOnce() -> ContextUse + Send + 'static) {
        if cx.observers.is_empty() {
            return;
        }
        // The event needs only the requester, and must not keep the rest of the request alive.
        let cx = Cx {
            approval_prompt: None,
            reverse_channel: None,
            progress: None,
            log: None,
            ..cx.clone()
        };
        self.0.push(Box::new(move || cx.emit(|| EventKind::ContextUse(count()))));
        self.0.start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::{Condvar, Mutex};
    use std::sync::Arc;
    use toolscout_core::Caller;
    use toolscout_core::event::{Event, Observer, Observers};

    #[derive(Default)]
    struct TokenCounts(Mutex<Vec<usize>>);

    impl Observer for TokenCounts {
        fn observe(&self, event: &Event) {
            if let EventKind::ContextUse(context_use) = &event.kind {
                self.0.lock().push(context_use.tokens);
            }
        }
    }

    fn context_use(tokens: usize) -> ContextUse {
        ContextUse { form: "list", tools: 1, tokens, ..ContextUse::default() }
    }

    #[test]
    fn events_are_in_order_and_are_emitted_on_drop() {
        let counts = Arc::new(TokenCounts::default());
        let cx = Cx { observers: Observers::new(vec![counts.clone()]), ..Cx::new(Caller::Mcp) };
        let meter = Meter::default();
        (0..CAPACITY / 2).for_each(|index| meter.record(&cx, move || context_use(index)));
        drop(meter);
        assert_eq!(*counts.0.lock(), (0..CAPACITY / 2).collect::<Vec<_>>());
    }

    #[test]
    fn without_observers_nothing_is_counted() {
        let meter = Meter::default();
        meter.record(&Cx::new(Caller::Mcp), || panic!("counted without an observer"));
        assert!(!meter.0.is_started());
    }

    /// The first count blocks until all others are queued.
    #[test]
    fn a_full_queue_drops_further_counts() {
        let counts = Arc::new(TokenCounts::default());
        let cx = Cx { observers: Observers::new(vec![counts.clone()]), ..Cx::new(Caller::Mcp) };
        let (meter, gate) =
            (Meter::default(), Arc::new((Mutex::new((false, false)), Condvar::new())));
        let blocked = gate.clone();
        meter.record(&cx, move || {
            let mut state = blocked.0.lock();
            state.0 = true;
            blocked.1.notify_all();
            blocked.1.wait_while(&mut state, |value| !value.1);
            context_use(0)
        });
        gate.1.wait_while(&mut gate.0.lock(), |gate| !gate.0);
        (1..=CAPACITY + 9).for_each(|index| meter.record(&cx, move || context_use(index)));
        gate.0.lock().1 = true;
        gate.1.notify_all();
        drop(meter);
        assert_eq!(counts.0.lock().len(), 1 + CAPACITY);
    }
}
