//! Prints one line per scenario.

use super::expected::ExpectedFailures;
use super::leg::Leg;
use super::outcome::ScenarioOutcome;

pub(super) const HEAD: &str =
    "| side | revision | scenario | passed | not passed | reason |\n|---|---|---|---:|---:|---|";

pub(super) fn row(leg: &Leg, outcome: &ScenarioOutcome, expected: &ExpectedFailures) -> String {
    let ScenarioOutcome { scenario, passed, complaints, .. } = outcome;
    let mut why: Vec<&str> = Vec::new();
    for complaint in complaints {
        let said = expected
            .excuse(leg, scenario, &complaint.check)
            .map_or(complaint.what.as_str(), |excuse| excuse.reason.as_str());
        if !why.contains(&said) {
            why.push(said);
        }
    }
    let why = why.join("; ").replace('|', "\\|").replace('\n', " ");
    format!("| {leg} | {} | {scenario} | {passed} | {} | {why} |", leg.revision, complaints.len())
}

pub(super) fn sum(leg: &Leg, outcomes: &[ScenarioOutcome]) -> String {
    let clean = outcomes.iter().filter(|outcome| outcome.complaints.is_empty()).count();
    let passed: usize = outcomes.iter().map(|outcome| outcome.passed).sum();
    let not: usize = outcomes.iter().map(|outcome| outcome.complaints.len()).sum();
    format!(
        "| **{leg}** | {} | **{clean} of {} scenarios** | {passed} | {not} | |",
        leg.revision,
        outcomes.len()
    )
}
