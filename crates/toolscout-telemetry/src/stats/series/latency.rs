//! Percentiles of durations in bounded memory: a histogram with logarithmic bins.

use std::collections::BTreeMap;

/// Ratio between the limits of a bin. A percentile is within half of it: 10 %.
const RATIO: f64 = 1.2;

/// Counts durations by their order of magnitude.
#[derive(Debug, Clone, Default)]
pub(super) struct LatencyHistogram {
    bins: BTreeMap<i16, u32>,
    count: u64,
}

impl LatencyHistogram {
    pub(super) fn add(&mut self, milliseconds: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "durations span fewer than 400 bins")]
        let bin = (milliseconds.clamp(0.001, 1e12).ln() / RATIO.ln()).round() as i16;
        *self.bins.entry(bin).or_default() += 1;
        self.count += 1;
    }

    /// The duration in milliseconds that this share of all durations does not exceed; none without
    /// durations.
    pub(super) fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reaches = |(_, count): &(&i16, &u32)| {
            seen += u64::from(**count);
            seen >= rank
        };
        let (bin, _) = self.bins.iter().find(reaches)?;
        let middle = RATIO.powi(i32::from(*bin));
        Some((middle * 1_000.0).round() / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_ten_percent() {
        let mut histogram = LatencyHistogram::default();
        assert_eq!(histogram.percentile(50), None);
        (1..=1_000).for_each(|value| histogram.add(f64::from(value)));
        for (percent, expected) in [(50, 500.0), (95, 950.0), (100, 1_000.0)] {
            let found = histogram.percentile(percent).expect("durations");
            assert!((found / expected - 1.0).abs() < 0.1, "{percent}: {found}");
        }
        // Memory depends on the spread of the durations, not on their number.
        assert!(histogram.bins.len() < 50, "{}", histogram.bins.len());
    }
}
