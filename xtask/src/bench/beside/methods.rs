//! The ranking methods: others in Python, ours in the installed program.

use super::sets::QuerySet;
use super::venv::Venv;
use crate::repo;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// In the order of the table: others first, then ours.
pub(super) const METHODS: &[RankingMethod] = &[
    RankingMethod { id: "fastmcp", name: "FastMCP, BM25 transform", how: RankingProgram::Python },
    RankingMethod { id: "bm25s", name: "bm25s", how: RankingProgram::Python },
    RankingMethod { id: "minilm", name: "MiniLM-L6 int8 alone", how: RankingProgram::Python },
    RankingMethod {
        id: "lexical",
        name: "toolscout, lexical",
        how: RankingProgram::Toolscout(&["--lexical"]),
    },
    RankingMethod { id: "toolscout", name: "toolscout", how: RankingProgram::Toolscout(&[]) },
];

pub(super) struct RankingMethod {
    /// The prefix of its run files.
    pub(super) id: &'static str,
    /// The name in the table.
    pub(super) name: &'static str,
    how: RankingProgram,
}

enum RankingProgram {
    Python,
    Toolscout(&'static [&'static str]),
}

/// The programs that rank, and the folder for their run files.
pub(super) struct ComparisonPrograms {
    pub(super) toolscout: PathBuf,
    pub(super) venv: Venv,
    pub(super) runs: PathBuf,
}

impl RankingMethod {
    pub(super) fn is_a_peer(&self) -> bool {
        matches!(self.how, RankingProgram::Python)
    }

    /// The command that writes the run file.
    pub(super) fn command(
        &self,
        set: &QuerySet,
        programs: &ComparisonPrograms,
        run: &Path,
    ) -> Command {
        let mut command = match self.how {
            RankingProgram::Python => {
                let mut command = programs.venv.python();
                command.arg(repo::root().join("xtask/retrieval/peers.py")).arg(self.id);
                command.args([&set.tools, &set.queries]).arg(run);
                command
            }
            RankingProgram::Toolscout(more) => {
                let mut command = Command::new(&programs.toolscout);
                command
                    .args(["bench", "retrieval"])
                    .args(more)
                    .arg("--data")
                    .arg(&set.folder)
                    .arg("--run")
                    .arg(run);
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}
