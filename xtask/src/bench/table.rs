//! Figures as a markdown table, each beside its goal.

use super::clock::Samples;

/// One line of the table.
pub(super) struct Row {
    what: String,
    figures: Option<Figures>,
    goal: Option<f64>,
    note: String,
}

struct Figures {
    unit: &'static str,
    best: f64,
    median: f64,
}

impl Row {
    pub(super) fn time(what: impl Into<String>, samples: &Samples) -> Self {
        let milliseconds = |it: std::time::Duration| it.as_secs_f64() * 1000.0;
        let figures =
            Figures { unit: "ms", best: milliseconds(samples.best()), median: milliseconds(samples.median()) };
        Self { what: what.into(), figures: Some(figures), goal: None, note: String::new() }
    }

    /// Of these peaks in bytes, of which there is at least one.
    pub(super) fn memory(what: impl Into<String>, mut peaks: Vec<u64>) -> Self {
        peaks.sort_unstable();
        let megabytes = |it: u64| it as f64 / 1_000_000.0;
        let figures = Figures { unit: "MB", best: megabytes(peaks[0]), median: megabytes(peaks[peaks.len() / 2]) };
        Self { what: what.into(), figures: Some(figures), goal: None, note: String::new() }
    }

    pub(super) fn unknown(what: impl Into<String>, why: &str) -> Self {
        Self { what: what.into(), figures: None, goal: None, note: why.to_owned() }
    }

    /// At most this, in the row's own unit.
    pub(super) fn goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }

    pub(super) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from("| what | best | median | goal | |\n|---|---:|---:|---:|---|\n");
    for row in rows {
        let [best, median, goal, verdict] = cells(row);
        let remark = [verdict, row.note.clone()].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ");
        text.push_str(&format!("| {} | {best} | {median} | {goal} | {remark} |\n", row.what));
    }
    text
}

/// The goal is held against the best: the machine is shared, and what others do on it is not ours.
fn cells(row: &Row) -> [String; 4] {
    let Some(figures) = &row.figures else { return Default::default() };
    let shown = |it: f64| format!("{it:.1} {}", figures.unit);
    let goal = row.goal.map(|it| format!("≤ {it} {}", figures.unit)).unwrap_or_default();
    let verdict = row.goal.map(|it| if figures.best <= it { "met" } else { "missed" }).unwrap_or_default();
    [shown(figures.best), shown(figures.median), goal, verdict.to_owned()]
}
