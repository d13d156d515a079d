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

/// The outcome of a leg.
pub(super) struct LegOutcome {
    pub(super) through: Vec<ScenarioOutcome>,
    /// The same scenarios at the server behind toolscout; empty if they were not run.
    pub(super) direct: Vec<ScenarioOutcome>,
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
    ) -> anyhow::Result<LegOutcome> {
        let outcome = self.run_once(suite, programs)?;
        let broke_off =
            outcome.through.iter().chain(&outcome.direct).any(ScenarioOutcome::broke_off);
        if broke_off { self.run_once(suite, programs) } else { Ok(outcome) }
    }

    fn run_once(
        &self,
        suite: &Suite,
        programs: &ConformancePrograms,
    ) -> anyhow::Result<LegOutcome> {
        let scenarios = |words: [&str; 3]| {
            let folder = tempfile::tempdir()?;
            let words = [words.as_slice(), &["--requirements", self.revision]].concat();
            let said = suite.run(folder.path(), &words)?;
            outcome::read(&said, folder.path())
        };
        match self.role {
            LegRole::Server(upstream) => {
                let world = ConformanceWorld::serve(suite, programs, upstream)?;
                let through = scenarios(["server", "--url", &world.url])?;
                let direct = match &world.compared_url {
                    Some(url) => scenarios(["server", "--url", url])?,
                    None => Vec::new(),
                };
                Ok(LegOutcome { through, direct })
            }
            LegRole::Client => {
                let command = programs.client.display().to_string();
                let through = scenarios(["client", "--command", &command])?;
                Ok(LegOutcome { through, direct: Vec::new() })
            }
        }
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
