//! Expected failures, from a file with a reason above each entry.

use super::leg::{Leg, LegRole};
use super::outcome::ScenarioOutcome;
use anyhow::{Context, bail};

const FILE: &str = include_str!("expected.yml");

pub(super) struct ExpectedFailures(Vec<ExpectedFailure>);

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExpectedFailure {
    /// The runs it applies to: `server`, `client`, or `server behind legacy`.
    section: String,
    scenario: String,
    /// The check that may fail; all of them if absent.
    check: Option<String>,
    pub(super) reason: String,
    /// Whether it may also pass, because it depends on timing.
    may_pass: bool,
}

impl ExpectedFailures {
    pub(super) fn read() -> anyhow::Result<Self> {
        Self::parse(FILE)
    }

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut entries, mut section, mut reason) = (Vec::new(), None, Vec::new());
        for line in text.lines() {
            match line.trim() {
                "" => reason.clear(),
                line if line.starts_with('#') => reason.push(line.trim_start_matches('#').trim()),
                line if line.starts_with("- ") => {
                    let name = line[2..].trim();
                    let (name, may_pass) =
                        name.strip_suffix('?').map_or((name, false), |rest| (rest, true));
                    let (scenario, check) = name
                        .split_once(':')
                        .map_or((name, None), |(value, check)| (value, Some(check)));
                    if reason.is_empty() {
                        bail!("`{name}` is expected to fail, but has no reason");
                    }
                    entries.push(ExpectedFailure {
                        section: section
                            .clone()
                            .with_context(|| format!("`{name}` is in no section"))?,
                        scenario: scenario.to_owned(),
                        check: check.map(str::to_owned),
                        reason: reason.join(" "),
                        may_pass,
                    });
                }
                line => {
                    section = Some(
                        line.strip_suffix(':')
                            .with_context(|| format!("`{line}` is not a section"))?
                            .to_owned(),
                    );
                    reason.clear();
                }
            }
        }
        Ok(Self(entries))
    }

    /// The expectation that covers a failure of this check, if there is one.
    pub(super) fn excuse(
        &self,
        leg: &Leg,
        scenario: &str,
        check: &str,
    ) -> Option<&ExpectedFailure> {
        self.about(leg).find(|item| {
            item.scenario == scenario && item.check.as_deref().is_none_or(|value| value == check)
        })
    }

    /// The unexpected results: failures without an expectation, and expectations without a failure.
    pub(super) fn judge(&self, leg: &Leg, outcomes: &[ScenarioOutcome]) -> Vec<String> {
        let mut faults = Vec::new();
        for ScenarioOutcome { scenario, complaints, .. } in outcomes {
            let bad = complaints
                .iter()
                .filter(|complaint| self.excuse(leg, scenario, &complaint.check).is_none());
            faults.extend(bad.map(|value| {
                format!("{leg}, {}: {scenario}: {}: {}", leg.revision, value.check, value.what)
            }));
        }
        for entry in self.about(leg).filter(|about| !about.may_pass) {
            let Some(outcome) = outcomes.iter().find(|outcome| outcome.scenario == entry.scenario)
            else {
                continue;
            };
            let is_met = outcome.complaints.iter().any(|complaint| {
                entry.check.as_ref().is_none_or(|check| *check == complaint.check)
            });
            if !is_met {
                let name =
                    [Some(&entry.scenario), entry.check.as_ref()].into_iter().flatten().cloned();
                let name = name.collect::<Vec<_>>().join(":");
                faults.push(format!(
                    "{leg}, {}: {name} passes, and is expected not to",
                    leg.revision
                ));
            }
        }
        faults
    }

    fn about<'a>(&'a self, leg: &Leg) -> impl Iterator<Item = &'a ExpectedFailure> {
        let sections = match leg.role {
            LegRole::Client => vec!["client".to_owned()],
            LegRole::Server(server) => {
                vec!["server".to_owned(), format!("server behind {}", server.word())]
            }
        };
        self.0.iter().filter(move |item| sections.contains(&item.section))
    }
}
