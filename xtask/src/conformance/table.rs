//! Prints one line per scenario.

use super::expected::ExpectedFailures;
use super::leg::Leg;
use super::outcome::ScenarioOutcome;

pub(super) const HEAD: &str =
    "| side | revision | scenario | passed | not | why |\n|---|---|---|---:|---:|---|";

pub(super) fn row(leg: &Leg, outcome: &ScenarioOutcome, expected: &ExpectedFailures) -> String {
    let ScenarioOutcome { scenario, passed, complaints, .. } = outcome;
    let mut why: Vec<&str> = Vec::new();
    for it in complaints {
        let said = expected
            .excuse(leg, scenario, &it.check)
            .map_or(it.what.as_str(), |it| it.reason.as_str());
        if !why.contains(&said) {
            why.push(said);
        }
    }
    let why = why.join("; ").replace('|', "\\|").replace('\n', " ");
    format!("| {leg} | {} | {scenario} | {passed} | {} | {why} |", leg.revision, complaints.len())
}

pub(super) fn sum(leg: &Leg, outcomes: &[ScenarioOutcome]) -> String {
    let clean = outcomes.iter().filter(|it| it.complaints.is_empty()).count();
    let passed: usize = outcomes.iter().map(|it| it.passed).sum();
    let not: usize = outcomes.iter().map(|it| it.complaints.len()).sum();
    format!(
        "| **{leg}** | {} | **{clean} of {} scenarios** | {passed} | {not} | |",
        leg.revision,
        outcomes.len()
    )
}
