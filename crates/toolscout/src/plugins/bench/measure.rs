//! Asks a ranking every question, and takes the time of some.

use super::ranking::{How, Ranking};
use super::set::{Set, SetQuery};
use std::thread;
use std::time::{Duration, Instant};

/// How many questions are asked one after the other, with a clock. The rest are asked on all cores: what is measured of
/// them is only whether the answer is right.
const TIMED: usize = 1_000;

/// What a ranking answered, and how long that took.
pub(super) struct Measured {
    /// For each question the places of the tools, best first.
    pub(super) ranked: Vec<Vec<usize>>,
    /// Until the last tool could be found, with its vector.
    pub(super) build: Duration,
    /// Of single searches, shortest first.
    pub(super) times: Vec<Duration>,
    /// Whether meaning counted; a program can be built without the model.
    pub(super) has_encoder: bool,
}

/// Builds, observes what is to be learned from, and asks the rest.
pub(super) fn measure(set: &Set, how: How, observed: &[SetQuery], asked: &[SetQuery]) -> Measured {
    let start = Instant::now();
    let mut ranking = Ranking::build(&set.tools, how);
    let build = start.elapsed();
    ranking.observe(observed);
    let (timed, others) = asked.split_at(asked.len().min(TIMED));
    let (mut ranked, mut times): (Vec<_>, Vec<_>) = timed.iter().map(|it| timed_search(&ranking, it)).unzip();
    ranked.extend(on_all_cores(&ranking, others));
    times.sort();
    Measured { ranked, build, times, has_encoder: ranking.has_encoder() }
}

impl Measured {
    /// The time that so many in a hundred searches do not exceed.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        self.times.get((self.times.len() * percent / 100).min(last)).copied().unwrap_or_default()
    }
}

fn timed_search(ranking: &Ranking, query: &SetQuery) -> (Vec<usize>, Duration) {
    let start = Instant::now();
    let found = ranking.search(&query.query);
    (found, start.elapsed())
}

/// In the order of the questions.
fn on_all_cores(ranking: &Ranking, queries: &[SetQuery]) -> Vec<Vec<usize>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let part = queries.len().div_ceil(cores).max(1);
    let ask = |part: &[SetQuery]| part.iter().map(|it| ranking.search(&it.query)).collect::<Vec<_>>();
    thread::scope(|scope| {
        let parts: Vec<_> = queries.chunks(part).map(|it| scope.spawn(move || ask(it))).collect();
        // A thread that panicked has told why, and no answer is made up for it.
        parts.into_iter().flat_map(|it| it.join().unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    })
}
