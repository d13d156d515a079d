//! A separate project in which the built programs show the addition of a recipe.

use anyhow::{Context, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// The programs built from the changed copy.
pub(crate) struct Programs {
    pub(crate) toolscout: PathBuf,
    pub(crate) hostile: PathBuf,
}

/// An empty project with this configuration.
pub(crate) struct Project<'a> {
    programs: &'a Programs,
    folder: TempDir,
}

impl<'a> Project<'a> {
    pub(crate) fn new(programs: &'a Programs, configuration: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("create a folder for the project")?;
        fs::write(folder.path().join("toolscout.toml"), configuration)
            .context("write toolscout.toml")?;
        Ok(Self { programs, folder })
    }

    /// The output of a command, from both streams.
    pub(crate) fn toolscout(&self, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.programs.toolscout);
        command.args(words).current_dir(self.folder.path()).env_clear();
        command
            .env("HOME", self.folder.path())
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("TOOLSCOUT_STATE_DIR", self.folder.path().join("state"));
        output(&mut command)
    }
}

/// The output of a command, from both streams; an error unless it succeeds.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}:\n{text}", output.status);
    Ok(text)
}

/// Fails unless the text contains this.
pub(crate) fn expect(text: &str, wanted: &str) -> anyhow::Result<()> {
    ensure!(text.contains(wanted), "expected `{wanted}` in:\n{text}");
    Ok(())
}
