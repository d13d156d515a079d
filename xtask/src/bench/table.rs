//! Figures as a Markdown table, each with its goal.

use super::clock::Samples;
use std::time::Duration;

/// One line of the table.
pub(super) struct BenchmarkRow {
    what: String,
    figures: Option<RowFigures>,
    goal: Option<Goal>,
    note: String,
}

/// In the unit of the row.
#[derive(Clone, Copy)]
enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

struct RowFigures {
    unit: Unit,
    best: f64,
    /// `None` if there is only one figure.
    median: Option<f64>,
}

#[derive(Clone, Copy)]
enum Unit {
    Milliseconds,
    Microseconds,
    Megabytes,
    Times,
    Pieces,
    Bytes,
    PerSecond,
}

impl BenchmarkRow {
    pub(super) fn time(what: impl Into<String>, samples: &Samples) -> Self {
        Self::timed(what, Unit::Milliseconds, 1e3, samples.best(), samples.median())
    }

    /// Like [`BenchmarkRow::time`], for times far below a millisecond.
    pub(super) fn short_time(what: impl Into<String>, samples: &Samples) -> Self {
        Self::timed(what, Unit::Microseconds, 1e6, samples.best(), samples.median())
    }

    fn timed(
        what: impl Into<String>,
        unit: Unit,
        of_a_second: f64,
        best: Duration,
        median: Duration,
    ) -> Self {
        let shown = |duration: Duration| duration.as_secs_f64() * of_a_second;
        Self::of(what, RowFigures { unit, best: shown(best), median: Some(shown(median)) })
    }

    /// The ratio of two times: of the best, and of the median.
    pub(super) fn ratio(what: impl Into<String>, one: &Samples, other: &Samples) -> Self {
        let ratio =
            |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64().max(1e-9);
        let best = ratio(one.best(), other.best());
        let median = Some(ratio(one.median(), other.median()));
        Self::of(what, RowFigures { unit: Unit::Times, best, median })
    }

    /// A row for peaks in bytes, of which there is at least one.
    pub(super) fn memory(what: impl Into<String>, mut peaks: Vec<u64>) -> Self {
        peaks.sort_unstable();
        let megabytes = |number: u64| number as f64 / 1_000_000.0;
        let median = (peaks.len() > 1).then(|| megabytes(peaks[peaks.len() / 2]));
        Self::of(what, RowFigures { unit: Unit::Megabytes, best: megabytes(peaks[0]), median })
    }

    pub(super) fn count(what: impl Into<String>, count: usize) -> Self {
        Self::of(what, RowFigures { unit: Unit::Pieces, best: count as f64, median: None })
    }

    /// Times measured by another program, in milliseconds.
    pub(super) fn milliseconds(what: impl Into<String>, best: f64, median: Option<f64>) -> Self {
        Self::of(what, RowFigures { unit: Unit::Milliseconds, best, median })
    }

    /// The same in microseconds.
    pub(super) fn microseconds(what: impl Into<String>, figure: f64) -> Self {
        Self::of(what, RowFigures { unit: Unit::Microseconds, best: figure, median: None })
    }

    pub(super) fn bytes(what: impl Into<String>, bytes: f64) -> Self {
        Self::of(what, RowFigures { unit: Unit::Bytes, best: bytes, median: None })
    }

    pub(super) fn per_second(what: impl Into<String>, count: f64) -> Self {
        Self::of(what, RowFigures { unit: Unit::PerSecond, best: count, median: None })
    }

    pub(super) fn unknown(what: impl Into<String>, why: &str) -> Self {
        Self { what: what.into(), figures: None, goal: None, note: why.to_owned() }
    }

    fn of(what: impl Into<String>, figures: RowFigures) -> Self {
        Self { what: what.into(), figures: Some(figures), goal: None, note: String::new() }
    }

    /// A maximum, in the unit of the row.
    pub(super) fn goal(self, goal: f64) -> Self {
        self.maybe_goal(Some(goal))
    }

    /// Like [`BenchmarkRow::goal`], if there is one.
    pub(super) fn maybe_goal(self, goal: Option<f64>) -> Self {
        Self { goal: goal.map(Goal::AtMost), ..self }
    }

    /// A minimum, in the unit of the row.
    pub(super) fn at_least(self, goal: f64) -> Self {
        Self { goal: Some(Goal::AtLeast(goal)), ..self }
    }

    pub(super) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

impl Unit {
    fn show(self, figure: f64) -> String {
        match self {
            Self::Times => format!("{figure:.2}×"),
            Self::Pieces => figure.to_string(),
            Self::Bytes | Self::PerSecond => format!("{figure:.0} {}", self.word()),
            _ => format!("{figure:.1} {}", self.word()),
        }
    }

    /// Formats a goal without rounding.
    fn show_goal(self, goal: Goal) -> String {
        let (sign, goal) = match goal {
            Goal::AtMost(goal) => ("≤", goal),
            Goal::AtLeast(goal) => ("≥", goal),
        };
        match self {
            Self::Times => format!("{sign} {goal}×"),
            Self::Pieces => format!("{sign} {goal}"),
            _ => format!("{sign} {goal} {}", self.word()),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Microseconds => "µs",
            Self::Megabytes => "MB",
            Self::Bytes => "bytes",
            Self::PerSecond => "per second",
            Self::Times | Self::Pieces => "",
        }
    }
}

pub(super) fn markdown(rows: &[BenchmarkRow]) -> String {
    let mut text =
        String::from("| measurement | best | median | goal | result |\n|---|---:|---:|---:|---|\n");
    for row in rows {
        let [best, median, goal, verdict] = cells(row);
        let remark = [verdict, row.note.clone()]
            .into_iter()
            .filter(|item| !item.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        text.push_str(&format!("| {} | {best} | {median} | {goal} | {remark} |\n", row.what));
    }
    text
}

/// The goal is compared with the best figure: the machine is shared, and other load must not count.
fn cells(row: &BenchmarkRow) -> [String; 4] {
    let Some(RowFigures { unit, best, median }) = &row.figures else { return Default::default() };
    let is_met = |goal: Goal| match goal {
        Goal::AtMost(goal) => *best <= goal,
        Goal::AtLeast(goal) => *best >= goal,
    };
    let verdict =
        row.goal.map(|goal| if is_met(goal) { "met" } else { "missed" }).unwrap_or_default();
    let goal = row.goal.map(|goal| unit.show_goal(goal)).unwrap_or_default();
    [
        unit.show(*best),
        median.map(|median| unit.show(median)).unwrap_or_default(),
        goal,
        verdict.to_owned(),
    ]
}
