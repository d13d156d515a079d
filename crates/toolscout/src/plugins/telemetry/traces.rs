//! Sends what happens to an OpenTelemetry collector, as spans over OTLP.
//!
//! [`Traces`] is told what happened and puts it into a queue, which never waits; a thread of its own makes requests of what is
//! there ([`Sender`]). Langfuse reads the same spans.

mod attributes;
mod outbox;
mod protobuf;
mod request;
mod sender;
mod span;
mod target;

#[cfg(test)]
mod tests;

use outbox::Outbox;
use sender::Sender;
use span::{Count, told};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use toolscout_core::event::{Event, EventKind, Observer};

pub(super) use target::Target;

/// Says something to the person who runs us, where nothing else gets through.
pub(super) type Say = Box<dyn Fn(&str) + Send + Sync>;

/// Looks on, and reports.
pub(super) struct Traces {
    outbox: Arc<Outbox>,
    sender: OnceLock<Option<Sender>>,
    target: Target,
    say: Arc<OnceLock<Say>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Traces {
    /// Reports to this place. Nothing is looked up or opened before something happens.
    pub(super) fn to(target: Target) -> Arc<Self> {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        let (outbox, sender, say) = (Arc::default(), OnceLock::new(), Arc::default());
        Arc::new(Self { outbox, sender, target, say, hits, misses })
    }

    /// Whom to tell, once, that nothing can be sent.
    pub(super) fn tell(&self, say: Say) {
        let _ = self.say.set(say);
    }

    /// Sends what is left, if that takes no longer than this.
    pub(super) async fn finish(&self, limit: Duration) {
        self.outbox.close();
        if let Some(Some(sender)) = self.sender.get() {
            sender.ended(limit).await;
        }
    }

    /// How often what was remembered was enough, and how often a server had to be asked.
    fn count(&self, what: &EventKind) -> Count {
        match what {
            EventKind::Search(_) | EventKind::Call(_) => self.hits.fetch_add(1, Ordering::Relaxed),
            EventKind::Discovery(it) if it.was_needed => self.misses.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
        Count { hits: self.hits.load(Ordering::Relaxed), misses: self.misses.load(Ordering::Relaxed) }
    }
}

impl Observer for Traces {
    fn observe(&self, event: &Event) {
        let count = self.count(&event.kind);
        if !event.span.is_sampled {
            return;
        }
        let Some(span) = told(event, count, self.target.content) else { return };
        self.outbox.put(span);
        self.sender.get_or_init(|| Sender::start(self.outbox.clone(), self.target.clone(), self.say.clone()));
    }

    fn traces(&self) -> bool {
        true
    }
}
