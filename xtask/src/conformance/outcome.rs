//! The result of each scenario: from the suite's summary, and from the recorded checks.

use crate::repo;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The result of one scenario.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScenarioOutcome {
    pub(super) scenario: String,
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// Failed checks and warnings.
    pub(super) complaints: Vec<Complaint>,
}

impl ScenarioOutcome {
    /// Whether the suite aborted it without recording a check.
    pub(super) fn broke_off(&self) -> bool {
        self.complaints.iter().any(|complaint| complaint.check == NONE)
    }
}

/// The check name for a scenario that recorded no checks.
const NONE: &str = "none";

/// A check that did not pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Complaint {
    pub(super) check: String,
    pub(super) what: String,
}

/// Parses the final output of the suite, and the files in its folder.
pub(super) fn read(said: &str, folder: &Path) -> anyhow::Result<Vec<ScenarioOutcome>> {
    let mut outcomes: Vec<ScenarioOutcome> = Vec::new();
    for outcome in said.lines().filter_map(summary) {
        if !outcomes.iter().any(|item| item.scenario == outcome.scenario) {
            outcomes.push(outcome);
        }
    }
    ensure!(!outcomes.is_empty(), "the output of the suite has no results:\n{said}");
    let files = repo::files(folder)?;
    for outcome in &mut outcomes {
        let is_its = |path: &&std::path::PathBuf| {
            path.ends_with("checks.json") && is_of(path, folder, &outcome.scenario)
        };
        let complaints = files.iter().find(is_its).map(|file| complaints(file)).transpose()?;
        outcome.complaints = complaints.unwrap_or_else(|| silence(outcome));
    }
    Ok(outcomes)
}

/// Parses `✓ tools-list: 3 passed, 0 failed, 1 warnings`.
fn summary(line: &str) -> Option<ScenarioOutcome> {
    let rest = line.strip_prefix("✓ ").or_else(|| line.strip_prefix("✗ "))?;
    let (scenario, counts) = rest.rsplit_once(": ")?;
    let mut numbers = counts.split(", ").map(|part| part.split_once(' '));
    let passed = numbers.next()??.0.parse().ok()?;
    let failed = numbers.next()??.0.parse().ok()?;
    Some(ScenarioOutcome { scenario: scenario.to_owned(), passed, failed, complaints: Vec::new() })
}

/// Results are in `[server-]SCENARIO-TIME`, and the name of a scenario may contain a slash.
fn is_of(file: &Path, folder: &Path, scenario: &str) -> bool {
    let place = file.strip_prefix(folder).unwrap_or(file).display().to_string();
    let place =
        place.strip_prefix("server-").filter(|rest| rest.starts_with(scenario)).unwrap_or(&place);
    let time = place.strip_prefix(scenario).and_then(|rest| rest.strip_prefix('-'));
    time.is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()))
}

fn complaints(file: &Path) -> anyhow::Result<Vec<Complaint>> {
    let text = fs::read(file).with_context(|| format!("read {}", file.display()))?;
    let checks: Vec<Value> =
        serde_json::from_slice(&text).with_context(|| format!("read {}", file.display()))?;
    let bad = checks
        .iter()
        .filter(|check| matches!(check["status"].as_str(), Some("FAILURE" | "WARNING")));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let what = |value: &Value| {
        text(&value["errorMessage"]).or_else(|| text(&value["description"])).unwrap_or_default()
    };
    Ok(bad
        .map(|value| Complaint { check: text(&value["id"]).unwrap_or_default(), what: what(value) })
        .collect())
}

/// The complaint for a scenario that broke off without recording anything.
fn silence(outcome: &ScenarioOutcome) -> Vec<Complaint> {
    let complaint = || Complaint { check: NONE.to_owned(), what: "it broke off".to_owned() };
    (outcome.failed > 0).then(complaint).into_iter().collect()
}
