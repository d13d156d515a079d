//! One run of the suite: our role, and the revision.

use super::outcome::{self, ScenarioOutcome};
use super::programs::ConformancePrograms;
use super::suite::Suite;
use super::world::{ConformanceWorld, Upstream};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) role: LegRole,
    pub(super) revision: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LegRole {
    /// A server in front of another server.
    Server(Upstream),
    Client,
}

impl LegRole {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Server(_) => "server",
            Self::Client => "client",
        }
    }
}

impl Leg {
    /// Runs the leg; once more if the suite itself broke off, which is not our failure.
    pub(super) fn run(
        &self,
        suite: &Suite,
        programs: &ConformancePrograms,
    ) -> anyhow::Result<Vec<ScenarioOutcome>> {
        let outcomes = self.run_once(suite, programs)?;
        let is_whole = !outcomes.iter().any(ScenarioOutcome::broke_off);
        if is_whole { Ok(outcomes) } else { self.run_once(suite, programs) }
    }

    fn run_once(
        &self,
        suite: &Suite,
        programs: &ConformancePrograms,
    ) -> anyhow::Result<Vec<ScenarioOutcome>> {
        let folder = tempfile::tempdir()?;
        let said = match self.role {
            LegRole::Server(upstream) => {
                let world = ConformanceWorld::serve(programs, upstream)?;
                suite.run(
                    folder.path(),
                    &["server", "--url", &world.url, "--requirements", self.revision],
                )?
            }
            LegRole::Client => {
                let command = programs.client.display().to_string();
                suite.run(
                    folder.path(),
                    &["client", "--command", &command, "--requirements", self.revision],
                )?
            }
        };
        outcome::read(&said, folder.path())
    }
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            LegRole::Server(upstream) => write!(f, "server, {} upstream", upstream.word()),
            LegRole::Client => f.write_str("client"),
        }
    }
}
