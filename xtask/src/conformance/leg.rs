//! One run of the suite: on which side we stand, and for which revision.

use super::outcome::{self, Outcome};
use super::programs::Programs;
use super::suite::Suite;
use super::world::{Upstream, World};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) role: Role,
    pub(super) revision: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// In front of the reference server.
    Server(Upstream),
    Client,
}

impl Role {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Server(_) => "server",
            Self::Client => "client",
        }
    }
}

impl Leg {
    /// Runs it; once more where the suite itself broke off, which says nothing of us.
    pub(super) fn run(&self, suite: &Suite, programs: &Programs) -> anyhow::Result<Vec<Outcome>> {
        let outcomes = self.run_once(suite, programs)?;
        let is_whole = !outcomes.iter().any(Outcome::broke_off);
        if is_whole { Ok(outcomes) } else { self.run_once(suite, programs) }
    }

    fn run_once(&self, suite: &Suite, programs: &Programs) -> anyhow::Result<Vec<Outcome>> {
        let folder = tempfile::tempdir()?;
        let said = match self.role {
            Role::Server(upstream) => {
                let world = World::serve(programs, upstream)?;
                suite.run(folder.path(), &["server", "--url", &world.url, "--requirements", self.revision])?
            }
            Role::Client => {
                let command = programs.client.display().to_string();
                suite.run(folder.path(), &["client", "--command", &command, "--requirements", self.revision])?
            }
        };
        outcome::read(&said, folder.path())
    }
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            Role::Server(upstream) => write!(f, "server, {} behind it", upstream.word()),
            Role::Client => f.write_str("client"),
        }
    }
}
