//! A home and a project for all agents, isolated from the user's own environment.

use crate::hostile::HostilePrograms;
use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A tool of the folder. It prints a word that is only in this file.
const TOOL: &str = r#"name = "word-of-the-day"
description = "Say the word of the day, in a language"
[[parameters]]
name = "language"
description = "Two letters, such as en"
required = true
[run]
command = ["echo"]
input = "args"
args = ["{language}: WORD"]
"#;

pub(super) struct AgentHome {
    top: TempDir,
    toolscout: PathBuf,
}

impl AgentHome {
    /// A trusted project with one tool of its own and one discovered server.
    pub(super) fn begin(programs: &HostilePrograms, word: &str) -> anyhow::Result<Self> {
        let top = TempDir::new().context("make a temporary folder")?;
        let stay = Self { top, toolscout: programs.toolscout.clone() };
        fs::create_dir_all(stay.home())?;
        fs::create_dir_all(stay.project().join("tools"))?;
        fs::write(
            stay.project().join("tools/word-of-the-day.tool.toml"),
            TOOL.replace("WORD", word),
        )?;
        let server = toml::Value::from(programs.hostile.display().to_string());
        fs::write(
            stay.project().join("toolscout.toml"),
            format!("[servers.honest]\ncommand = {server}\n"),
        )?;
        stay.toolscout(&["trust"])?;
        stay.toolscout(&["server", "refresh"])?;
        Ok(stay)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.top.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.top.path().join("project")
    }

    /// Runs toolscout here; returns its output, with the home folder shown as `~`.
    pub(super) fn toolscout(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output =
            self.command(&self.toolscout).args(arguments).output().context("start toolscout")?;
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        ensure!(output.status.success(), "`toolscout {}` failed: {text}", arguments.join(" "));
        Ok(text.replace(&self.home().display().to_string(), "~"))
    }

    /// A command for any program, in the project.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let folder = self.toolscout.parent().map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = folder.into_iter().chain(std::env::split_paths(&path));
        command.env_clear().env("PATH", std::env::join_paths(folders).unwrap_or(path));
        command.env("HOME", self.home()).env("TERM", "dumb");
        command.current_dir(self.project()).stdin(Stdio::null());
        command
    }
}
