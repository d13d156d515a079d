//! The results of a campaign, as a Markdown table.

use std::time::Duration;

/// One line of the table.
#[derive(Debug)]
pub(super) struct DemandRow {
    pub(super) demand: String,
    /// The figure that is demanded.
    pub(super) figure: String,
    pub(super) measured: String,
    /// None if it could not be measured here.
    pub(super) is_met: Option<bool>,
}

impl DemandRow {
    pub(super) fn new(
        demand: impl Into<String>,
        figure: impl Into<String>,
        measured: String,
        is_met: bool,
    ) -> Self {
        Self { demand: demand.into(), figure: figure.into(), measured, is_met: Some(is_met) }
    }

    /// A demand that cannot be measured here.
    pub(super) fn skipped(demand: &str, figure: &str, needed: &str) -> Self {
        Self {
            demand: demand.to_owned(),
            figure: figure.to_owned(),
            measured: format!("skipped: needs {needed}"),
            is_met: None,
        }
    }
}

pub(super) fn markdown(rows: &[DemandRow]) -> String {
    let mut text = String::from("| demand | figure | measured | verdict |\n|---|---|---|---|\n");
    for DemandRow { demand, figure, measured, is_met } in rows {
        let verdict = match is_met {
            Some(true) => "pass",
            Some(false) => "**fail**",
            None => "skipped",
        };
        text += &format!("| {demand} | {figure} | {measured} | {verdict} |\n");
    }
    text
}

/// Measured times, sorted.
#[derive(Debug, Default)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let at = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(at).copied().unwrap_or_default()
    }

    pub(super) fn max(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

pub(super) fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
