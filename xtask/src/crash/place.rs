//! A project with its own state, configuration and home, and toolscout commands in it.

use anyhow::Context;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The timeout of a command.
const LIMIT: Duration = Duration::from_secs(30);
/// The polling interval.
const LOOK: Duration = Duration::from_micros(200);

/// The log folder of the servers of all projects in the same folder.
pub(super) const SERVERS: &str = "servers";

pub(super) struct CrashProject {
    top: PathBuf,
    toolscout: PathBuf,
}

/// The exit code and the output of a command.
pub(super) struct CommandResult {
    /// `None` if it was killed.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl CrashProject {
    /// Creates the project in this folder, with this configuration.
    pub(super) fn new(top: PathBuf, toolscout: &Path, config: &str) -> anyhow::Result<Self> {
        for folder in ["home", "project", "config", "state"] {
            fs::create_dir_all(top.join(folder))
                .with_context(|| format!("make {}", top.display()))?;
        }
        let place = Self { top: top.canonicalize()?, toolscout: toolscout.to_owned() };
        place.write_config(config)?;
        Ok(place)
    }

    /// A command in the same project with another state folder; trust comes only from that state.
    pub(super) fn command_with(&self, state: &Path, words: &[String]) -> Command {
        let mut command = Command::new(&self.toolscout);
        command.args(words).current_dir(self.project()).env_clear().stdin(Stdio::null());
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.top.join("home"));
        command
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("TOOLSCOUT_STATE_DIR", state)
            .env("TOOLSCOUT_CONFIG_DIR", self.top.join("config"));
        command
    }

    /// Starts the command. Its output goes to files, because a child that inherits a pipe could
    /// keep it open.
    pub(super) fn start(&self, words: &[String], name: &str) -> anyhow::Result<Child> {
        let file = |kind: &str| File::create(self.top.join(format!("{name}.{kind}")));
        let mut command = self.command_with(&self.state(), words);
        command.env("TOOLSCOUT_TRUST", "1").stdout(file("out")?).stderr(file("err")?);
        command.spawn().with_context(|| format!("start {}", words.join(" ")))
    }

    /// The output so far of a command started under this name.
    pub(super) fn said(&self, name: &str, code: Option<i32>) -> anyhow::Result<CommandResult> {
        let text = |kind: &str| -> io::Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(self.top.join(format!("{name}.{kind}")))?)
                .into_owned())
        };
        Ok(CommandResult { code, out: text("out")?, err: text("err")? })
    }

    /// Runs the command to its end.
    pub(super) fn run(&self, words: &[String]) -> anyhow::Result<CommandResult> {
        let mut child = self.start(words, "whole")?;
        let code = wait_until(&mut child, Instant::now() + LIMIT)?;
        if code.is_none() {
            child.kill()?;
            child.wait()?;
        }
        self.said("whole", code)
    }

    /// The same, for string slices.
    pub(super) fn run_plain(&self, words: &[&str]) -> anyhow::Result<CommandResult> {
        self.run(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    pub(super) fn project(&self) -> PathBuf {
        self.top.join("project")
    }

    pub(super) fn state(&self) -> PathBuf {
        self.top.join("state")
    }

    pub(super) fn config(&self) -> anyhow::Result<String> {
        fs::read_to_string(self.project().join("toolscout.toml")).context("read the configuration")
    }

    pub(super) fn write_config(&self, text: &str) -> anyhow::Result<()> {
        fs::write(self.project().join("toolscout.toml"), text).context("write the configuration")
    }

    pub(super) fn lock(&self) -> Option<String> {
        fs::read_to_string(self.project().join("toolscout.lock")).ok()
    }

    /// The folders that commands write to, and the log folder of the servers.
    pub(super) fn written(&self) -> [PathBuf; 4] {
        [self.project(), self.state(), self.top.clone(), self.top.with_file_name(SERVERS)]
    }

    /// Files in user-visible folders that neither a user nor a completed command would leave there.
    pub(super) fn litter(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for folder in [self.project(), self.top.join("config")] {
            let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
            found.extend(entries.filter(|entry| {
                !entry.ends_with("toolscout.toml") && !entry.ends_with("toolscout.lock")
            }));
        }
        Ok(found)
    }
}

impl CommandResult {
    /// The first lines of its output, on one line.
    pub(super) fn said(&self) -> String {
        let how = self.code.map_or("it did not end".to_owned(), |code| format!("exit code {code}"));
        let lines: Vec<&str> = self.err.lines().chain(self.out.lines()).take(3).collect();
        format!("{how}; {}", lines.join(" / "))
    }
}

/// Waits for the end, or until `end`; returns the exit code, or `None` if the command is still
/// running or was killed.
pub(super) fn wait_until(child: &mut Child, end: Instant) -> io::Result<Option<i32>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        let now = Instant::now();
        if now >= end {
            return Ok(None);
        }
        thread::park_timeout(LOOK.min(end - now));
    }
}
