//! The comparison for readers: two tables and a plot.

use super::ComparisonResult;
use super::score::RankingScores;
use crate::bench::plot::{Plot, Series};

/// A measure: its name, and its figure.
type Measure = (&'static str, fn(&RankingScores) -> f64);

const MEASURES: [Measure; 2] =
    [("nDCG@10", |value| value.ndcg_10), ("recall@5", |value| value.recall_5)];

pub(super) fn markdown(outcome: &ComparisonResult) -> String {
    MEASURES.map(|measure| table(outcome, measure)).join("\n")
}

/// One measure of every method on every set; the best of each set in bold.
fn table(outcome: &ComparisonResult, (name, of): Measure) -> String {
    let columns = columns(outcome, of);
    let best: Vec<f64> = (0..=outcome.sets.len())
        .map(|at| columns.iter().map(|column| column[at]).fold(0.0, f64::max))
        .collect();
    let sets: String = outcome.sets.iter().map(|set| format!(" {} |", set.name)).collect();
    let mut text =
        format!("| {name} |{sets} mean |\n|---|{}\n", "---:|".repeat(outcome.sets.len() + 1));
    for ((method, _), figures) in outcome.rows.iter().zip(&columns) {
        let cells: String = figures
            .iter()
            .zip(&best)
            .map(|(item, best)| format!(" {} |", cell(*item, *best)))
            .collect();
        text.push_str(&format!("| {} |{cells}\n", method.name));
    }
    text
}

/// For each method the figure of every set, and then the mean.
fn columns(outcome: &ComparisonResult, of: fn(&RankingScores) -> f64) -> Vec<Vec<f64>> {
    let figures =
        |all: &Vec<RankingScores>| all.iter().chain([&RankingScores::mean(all)]).map(of).collect();
    outcome.rows.iter().map(|(_, all)| figures(all)).collect()
}

fn cell(figure: f64, best: f64) -> String {
    let shown = format!("{figure:.1}");
    if shown == format!("{best:.1}") { format!("**{shown}**") } else { shown }
}

pub(super) fn plot(outcome: &ComparisonResult) -> String {
    let (measure, of) = MEASURES[0];
    let columns = columns(outcome, of);
    let series = outcome.rows.iter().zip(columns).map(|((method, _), values)| Series {
        name: method.name.to_owned(),
        values,
        is_ours: !method.is_a_peer(),
    });
    let groups = outcome.sets.iter().map(|set| set.name.clone()).chain(["mean".to_owned()]);
    let title = "How often the right tool comes first".to_owned();
    Plot {
        title,
        measure: measure.to_owned(),
        groups: groups.collect(),
        series: series.collect(),
        most: 100.0,
    }
    .svg()
}
