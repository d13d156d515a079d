//! The clock of the database, as seen from here.

use parking_lot::Mutex;
use std::time::{Duration, Instant};
use toolscout_core::Moment;

/// How long the best sample counts. The clocks of two machines drift apart after it.
const SAMPLE_LIFETIME: Duration = Duration::from_secs(60);

/// Follows the clock of the database, which all replicas share.
///
/// A sample arrives some time after the database took it, so this clock is behind that of the
/// database by the time of the fastest sample. It is never ahead: what another replica dated and
/// this one has read is not in the future here.
#[derive(Debug, Default)]
pub(crate) struct DatabaseClock(Mutex<Option<Sample>>);

#[derive(Debug, Clone, Copy)]
struct Sample {
    database: Moment,
    received: Instant,
}

impl Sample {
    fn now(&self) -> Moment {
        self.database.after(self.received.elapsed())
    }
}

impl DatabaseClock {
    /// Records a sample that has just arrived.
    pub(crate) fn record(&self, database: Moment) {
        let mut best = self.0.lock();
        let is_better = |sample: &Sample| {
            database >= sample.now() || sample.received.elapsed() > SAMPLE_LIFETIME
        };
        if best.as_ref().is_none_or(is_better) {
            *best = Some(Sample { database, received: Instant::now() });
        }
    }

    /// The present time. Without any contact so far, that of this machine.
    pub(crate) fn now(&self) -> Moment {
        self.0.lock().as_ref().map_or_else(Moment::now, Sample::now)
    }
}
