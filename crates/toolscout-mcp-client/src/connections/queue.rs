//! The calls of one server: a limited number is pending, and a limited number waits for a place.
//!
//! Both numbers are divided between principals and their clients, so that the calls of one client
//! fill neither of them. A place that becomes free goes to the waiting clients in turn.

use crate::ClientError;
use crate::discovery::effective_deadline;
use crate::limits::Limits;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout_at;
use toolscout_core::{Cx, FairShares, ShareKey, SharePermit};

/// When a refused caller may try again.
const BUSY_FOR: Duration = Duration::from_secs(1);

pub(super) struct CallQueue {
    /// The places of pending calls.
    pending: Arc<FairShares>,
    /// The places of calls that wait for one of the former.
    waiting: Arc<FairShares>,
}

/// The place of a pending call; dropping it frees the place.
pub(crate) struct CallPlace {
    _permit: SharePermit,
    /// The time that the call has waited for it.
    waited: Duration,
}

impl CallQueue {
    pub(super) fn new(limits: &Limits) -> Self {
        let shares = |total: usize| FairShares::new(total, total.div_ceil(2));
        Self { pending: shares(limits.pending), waiting: shares(limits.queued) }
    }

    /// A place for a call of this caller. If it holds its share already, it waits until the
    /// deadline; if its share of the queue is taken as well, it is refused at once. Cancel-safe.
    pub(super) async fn take_place(
        &self,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<CallPlace, ClientError> {
        let key = ShareKey::of(cx);
        if let Some(permit) = self.pending.try_acquire(&key) {
            return Ok(CallPlace { _permit: permit, waited: Duration::ZERO });
        }
        let Some(_queued) = self.waiting.try_acquire(&key) else {
            let waiting = self.waiting.held_by(&key);
            return Err(self.busy(&key, &format!("{waiting} more wait, which is its share")));
        };
        let started = Instant::now();
        match timeout_at(deadline.into(), self.pending.acquire(&key)).await {
            Ok(permit) => Ok(CallPlace { _permit: permit, waited: started.elapsed() }),
            Err(_) => {
                let waited = started.elapsed().as_secs_f64();
                Err(self.busy(&key, &format!("this one has waited for {waited:.1} s")))
            }
        }
    }

    fn busy(&self, key: &ShareKey, why: &str) -> ClientError {
        let (held, after) = (self.pending.held_by(key), BUSY_FOR.as_secs());
        let what = format!(
            "busy, retry after {after} s: {held} calls of this client are pending, and {why}"
        );
        ClientError::Busy { what, after: Some(BUSY_FOR) }
    }
}

impl CallPlace {
    /// The deadline of the call: the time that it has waited counts as call time.
    pub(crate) fn deadline(&self, cx: &Cx, limit: Duration) -> Instant {
        effective_deadline(cx, limit.saturating_sub(self.waited))
    }
}
