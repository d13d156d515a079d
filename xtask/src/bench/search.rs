//! The cost of search with a thousand and with a hundred thousand tools: in a running process, and
//! in a new one.

mod cold;
mod generator;
mod planted;
pub(super) mod server;
#[cfg(test)]
mod tests;
mod words;

use super::BenchmarkPlan;
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use planted::Planted;
use serde_json::Value;

/// The number of tools, and the number of their sources.
pub(super) type CatalogDimensions = (usize, usize);

pub(super) const SIZES: &[CatalogDimensions] = &[(1_000, 20), (10_000, 200), (100_000, 1_000)];

/// Up to this size tools are really encoded: encoding a hundred thousand takes minutes, and search
/// takes the same time over any embeddings.
const ENCODED_UP_TO: usize = 10_000;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let mut rows = Vec::new();
    for size in bench.sizes {
        eprintln!("measuring search, {} tools …", size.0);
        let planted = Planted::new(*size)?;
        let vectors = if size.0 <= ENCODED_UP_TO { "meaning" } else { "chance" };
        let figures = figures(bench, &planted, vectors)?;
        rows.extend(of_size(size.0, &figures));
    }
    rows.extend(cold::measure(bench)?);
    Ok(rows)
}

/// The output of the measuring program.
fn figures(bench: &BenchmarkPlan, planted: &Planted, vectors: &str) -> anyhow::Result<Value> {
    let mut command = super::silent(&bench.programs.searcher);
    command
        .args([planted.tools(), planted.queries()])
        .arg(vectors)
        .stdout(std::process::Stdio::piped());
    let output = command.output().context("start the measuring program")?;
    ensure!(
        output.status.success(),
        "it ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("read the measurements")
}

/// The rows and goals of a size; `None` if there is no goal.
fn of_size(tools: usize, figures: &Value) -> Vec<BenchmarkRow> {
    let at = |few: f64, many: f64| match tools {
        10_000 => Some(few),
        100_000 => Some(many),
        _ => None,
    };
    let only_few = |goal: f64| at(goal, goal).filter(|_| tools == 10_000);
    let what = |text: &str| format!("{text}, {} tools", thousands(tools));
    let one = |key: &str, percentile: &str| figures[key][percentile].as_f64();
    let long = |name: &str, key: &str, goal: Option<f64>| {
        let row = BenchmarkRow::milliseconds(what(name), one(key, "best")?, one(key, "p50"));
        Some(row.maybe_goal(goal))
    };
    let quick = |name: &str, key: &str, p50: Option<f64>, p99: Option<f64>| {
        let row = |percentile: &str, goal: Option<f64>| {
            let figure = one(key, percentile)?;
            Some(
                BenchmarkRow::microseconds(what(&format!("{name}, {percentile}")), figure * 1e3)
                    .maybe_goal(goal.map(|goal| goal * 1e3)),
            )
        };
        [row("p50", p50), row("p99", p99)]
    };
    let mut rows = vec![long("lexical index build", "build_ms", only_few(150.0))];
    rows.push(long("add one source", "add_source_ms", only_few(5.0)));
    rows.push(long("load index from disk", "load_ms", None));
    rows.extend(quick("lexical search", "lexical_ms", at(0.15, 1.0), at(0.3, 2.0)));
    rows.extend(quick("full search, new query", "full_ms", only_few(6.0), only_few(15.0)));
    rows.extend(quick("full search, cached query", "repeated_ms", None, None));
    rows.push(figures["bytes_per_tool"].as_f64().map(|bytes_per_tool| {
        BenchmarkRow::bytes(what("memory per tool"), bytes_per_tool)
            .maybe_goal(at(3072.0, 3072.0).filter(|_| tools == 100_000))
    }));
    rows.push(figures["image_bytes_per_tool"].as_f64().map(|image_bytes_per_tool| {
        BenchmarkRow::bytes(what("index on disk per tool"), image_bytes_per_tool)
    }));
    let speed = figures["encoded_per_second"].as_f64().filter(|_| tools == 10_000);
    rows.push(
        speed.map(|speed| {
            BenchmarkRow::per_second("tools encoded, all cores", speed).at_least(150.0)
        }),
    );
    rows.into_iter().flatten().collect()
}

/// Formats `100000` as `100,000`.
fn thousands(number: usize) -> String {
    if number < 1_000 {
        number.to_string()
    } else {
        format!("{},{:03}", thousands(number / 1_000), number % 1_000)
    }
}
