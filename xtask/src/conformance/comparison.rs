//! The same scenarios directly at a server and through toolscout.

use super::leg::{Leg, LegOutcome};
use super::outcome::ScenarioOutcome;
use std::collections::BTreeMap;

/// The compared legs, in the order of the columns.
#[derive(Default)]
pub(super) struct Comparison<'a>(Vec<(&'a Leg, &'a LegOutcome)>);

impl<'a> Comparison<'a> {
    /// Adds a leg, if it was also run directly.
    pub(super) fn add(&mut self, leg: &'a Leg, outcome: &'a LegOutcome) {
        if !outcome.direct.is_empty() {
            self.0.push((leg, outcome));
        }
    }

    /// The table; none if nothing was run directly.
    pub(super) fn table(&self) -> Option<String> {
        (!self.0.is_empty()).then_some(())?;
        let columns = self
            .0
            .iter()
            .map(|(leg, _)| format!(" {0}, direct | {0}, through toolscout |", leg.revision));
        let rule = "---:|---:|".repeat(self.0.len());
        let head = format!("| scenario |{}\n|---|{rule}", columns.collect::<String>());
        let rows = self.rows().into_iter().map(|(scenario, cells)| {
            format!(
                "| {scenario} |{}",
                cells.iter().map(|cell| format!(" {cell} |")).collect::<String>()
            )
        });
        Some(std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n"))
    }

    fn rows(&self) -> BTreeMap<&str, Vec<String>> {
        let all = self.0.iter().flat_map(|(_, outcome)| &outcome.through);
        let cell = |outcomes: &[ScenarioOutcome], name: &str| {
            let outcome = outcomes.iter().find(|outcome| outcome.scenario == name);
            outcome.map_or_else(String::new, counts)
        };
        let cells = |name: &str| {
            let pairs = self.0.iter().map(|(_, outcome)| [&outcome.direct, &outcome.through]);
            pairs.flatten().map(|outcomes| cell(outcomes, name)).collect()
        };
        all.map(|outcome| (outcome.scenario.as_str(), cells(&outcome.scenario))).collect()
    }
}

/// The scenarios that pass directly, and fail or run no checks through toolscout.
pub(super) fn faults(leg: &Leg, LegOutcome { direct, through }: &LegOutcome) -> Vec<String> {
    let passes = |outcome: &&ScenarioOutcome| outcome.failed == 0;
    let is_worse = |direct: &&ScenarioOutcome| {
        let through = through.iter().find(|outcome| outcome.scenario == direct.scenario);
        through.filter(passes).is_none_or(|through| direct.passed > 0 && through.passed == 0)
    };
    let worse = direct.iter().filter(passes).filter(is_worse);
    let fault = |outcome: &ScenarioOutcome| {
        let scenario = &outcome.scenario;
        format!("{leg}, {}: {scenario}: passes directly, but not through toolscout", leg.revision)
    };
    worse.map(fault).collect()
}

/// The checks that passed, then after a slash the checks that did not.
fn counts(ScenarioOutcome { passed, complaints, .. }: &ScenarioOutcome) -> String {
    match complaints.len() {
        0 => passed.to_string(),
        others => format!("{passed} / {others}"),
    }
}
