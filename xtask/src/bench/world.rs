//! A project in a temporary folder, with its own state and home.

use super::{silent, tree};
use anyhow::{Context, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(super) struct BenchmarkWorld {
    top: TempDir,
    program: PathBuf,
    size: usize,
}

impl BenchmarkWorld {
    /// Generates this many tools for the program to find.
    pub(super) fn new(program: &Path, size: usize) -> anyhow::Result<Self> {
        let top = TempDir::new().context("make a temporary folder")?;
        fs::create_dir(top.path().join("home"))?;
        let world = Self { top, program: program.to_owned(), size };
        tree::plant(&world.project(), size).context("create the tools")?;
        fs::write(world.request(), r#"{"input": {}, "context": {}}"#)?;
        Ok(world)
    }

    /// A toolscout command in this world, isolated from the user's own environment.
    pub(super) fn toolscout(&self, arguments: &[&str]) -> Command {
        let mut command = silent(&self.program);
        command.arg("-C").arg(self.project()).args(arguments);
        command
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("TOOLSCOUT_STATE_DIR", self.state())
            .env("TOOLSCOUT_TRUST", "1");
        command.env("HOME", self.top.path().join("home")).env_remove("XDG_CONFIG_HOME");
        command
    }

    /// Another program in the same tree.
    pub(super) fn plain(&self, argv: &[&str]) -> Command {
        let mut command = silent(argv[0]);
        command.args(&argv[1..]).current_dir(self.project());
        command
    }

    /// The tool that does nothing, without toolscout.
    pub(super) fn echo_directly(&self) -> anyhow::Result<Command> {
        let mut command = silent("/bin/sh");
        command
            .arg(self.project().join("tools").join(tree::ECHO))
            .args(["tool-invoke", tree::ECHO]);
        command.stdin(Stdio::from(File::open(self.request())?));
        Ok(command)
    }

    /// Other programs that walk a tree, with and without reading the files; `fd` only if it is
    /// installed.
    pub(super) fn other_means(&self) -> Vec<Vec<&'static str>> {
        let mut all = vec![
            vec!["find", "tools", "-type", "f"],
            vec!["ls", "-lR", "tools"],
            vec!["find", "tools", "-type", "f", "-exec", "cat", "{}", "+"],
        ];
        let fd = vec!["fd", "--type", "f", ".", "tools"];
        if self.plain(&fd).output().is_ok() {
            all.push(fd);
        }
        all
    }

    /// Deletes the state of toolscout.
    pub(super) fn forget(&self) -> anyhow::Result<()> {
        if self.state().exists() {
            fs::remove_dir_all(self.state()).context("forget the state")?;
        }
        Ok(())
    }

    /// Fails unless every tool is found: a fast wrong result is not worth measuring.
    pub(super) fn expect_all(&self) -> anyhow::Result<()> {
        let output = self.toolscout(&["tools", "--json"]).stdout(Stdio::piped()).output()?;
        let listed = String::from_utf8_lossy(&output.stdout);
        let missing =
            (0..self.size).map(tree::name).find(|name| !listed.contains(&format!("\"{name}\"")));
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the listing ended with {}: {said}", output.status);
        ensure!(missing.is_none(), "the listing lacks `{}`: {said}", missing.unwrap_or_default());
        Ok(())
    }

    pub(super) fn project(&self) -> PathBuf {
        self.top.path().join("project")
    }

    fn state(&self) -> PathBuf {
        self.top.path().join("state")
    }

    fn request(&self) -> PathBuf {
        self.top.path().join("request.json")
    }
}
