//! A histogram of durations, with the same buckets for all metrics.

use super::page::MetricsPage;

/// Upper bounds of the buckets in seconds, from a search in memory to a tool that runs a build.
const BOUNDS: [f64; 16] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
    120.0,
];

#[derive(Default)]
pub(super) struct Histogram {
    /// Observations per bucket, not cumulative.
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    pub(super) fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at] += 1;
        }
    }

    /// Writes cumulative buckets, as Prometheus requires.
    pub(super) fn write(&self, page: &mut MetricsPage, labels: &[(&str, &str)]) {
        let mut cumulative = 0;
        for (bound, count) in BOUNDS.iter().zip(self.buckets) {
            cumulative += count;
            page.sample("_bucket", labels, Some(&bound.to_string()), cumulative);
        }
        page.sample("_bucket", labels, Some("+Inf"), self.count);
        page.sample("_sum", labels, None, self.sum);
        page.sample("_count", labels, None, self.count);
    }
}
