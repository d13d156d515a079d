//! Runs every query against a ranking, and measures the time of some.

use super::ranking::{How, Ranking};
use super::set::{Set, SetQuery};
use std::thread;
use std::time::{Duration, Instant};

/// The number of queries that run sequentially and are timed. The rest run on all cores: only their
/// results are measured.
const TIMED: usize = 1_000;

/// The results of a ranking, and their times.
pub(super) struct Measured {
    /// For each query the positions of the tools in the set, best first.
    pub(super) ranked: Vec<Vec<usize>>,
    /// The time until all tools are indexed, with their embeddings.
    pub(super) build: Duration,
    /// The times of single searches, shortest first.
    pub(super) times: Vec<Duration>,
    /// Whether semantic search was used; a program can be built without the model.
    pub(super) has_encoder: bool,
}

/// Builds the ranking, learns from `observed`, and runs the queries in `asked`.
pub(super) fn measure(set: &Set, how: How, observed: &[SetQuery], asked: &[SetQuery]) -> Measured {
    let start = Instant::now();
    let mut ranking = Ranking::build(&set.tools, how);
    let build = start.elapsed();
    ranking.observe(observed);
    let (timed, others) = asked.split_at(asked.len().min(TIMED));
    let (mut ranked, mut times): (Vec<_>, Vec<_>) =
        timed.iter().map(|timed| timed_search(&ranking, timed)).unzip();
    ranked.extend(on_all_cores(&ranking, others));
    times.sort();
    Measured { ranked, build, times, has_encoder: ranking.has_encoder() }
}

impl Measured {
    /// The search time at this percentile.
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

/// Results in the order of the queries.
fn on_all_cores(ranking: &Ranking, queries: &[SetQuery]) -> Vec<Vec<usize>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let part = queries.len().div_ceil(cores).max(1);
    let ask =
        |part: &[SetQuery]| part.iter().map(|part| ranking.search(&part.query)).collect::<Vec<_>>();
    thread::scope(|scope| {
        let parts: Vec<_> =
            queries.chunks(part).map(|chunk| scope.spawn(move || ask(chunk))).collect();
        // A panic is propagated; no result is made up for it.
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .collect()
    })
}
