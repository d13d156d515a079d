//! A home and a project for all agents, isolated from the user's own environment.

use super::agent::{AGENTS, Agent};
use super::server_spec::ServerSpec;
use crate::hostile::HostilePrograms;
use crate::repo;
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
    /// A trusted project with one tool of its own, and four agents with eleven servers.
    pub(super) fn create(
        programs: &HostilePrograms,
        word: &str,
        model: &str,
    ) -> anyhow::Result<Self> {
        let top = TempDir::new().context("make a temporary folder")?;
        let home = Self { top, toolscout: programs.toolscout.clone() };
        fs::create_dir_all(home.project().join("tools"))?;
        let tool = home.project().join("tools/word-of-the-day.tool.toml");
        fs::write(tool, TOOL.replace("WORD", word))?;
        fs::write(home.project().join("toolscout.toml"), "")?;
        for agent in AGENTS {
            let file = home.file(agent);
            fs::create_dir_all(file.parent().context("a file in a folder")?)?;
            let servers = home.servers(agent, &programs.hostile)?;
            fs::write(file, agent.configuration(&servers, model))?;
        }
        home.toolscout(&["trust"])?;
        Ok(home)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.top.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.top.path().join("project")
    }

    /// The agent's configuration file.
    pub(super) fn file(&self, agent: &dyn Agent) -> PathBuf {
        self.home().join(agent.file())
    }

    /// The agents' configuration files, byte for byte.
    pub(super) fn files(&self) -> anyhow::Result<Vec<Vec<u8>>> {
        AGENTS.iter().map(|agent| Ok(fs::read(self.file(*agent))?)).collect()
    }

    /// The servers of an agent: real ones from npm and PyPI, and the test server.
    fn servers(&self, agent: &dyn Agent, test_server: &Path) -> anyhow::Result<Vec<ServerSpec>> {
        let everything = || published("node_modules/.bin/mcp-server-everything");
        let filesystem = || published("node_modules/.bin/mcp-server-filesystem");
        let memory = || published("node_modules/.bin/mcp-server-memory");
        let time = || published("python/bin/mcp-server-time");
        let project = self.project().display().to_string();
        let server = |name, program: String, args: &[&str]| {
            let command = std::iter::once(program).chain(args.iter().map(|arg| (*arg).to_owned()));
            ServerSpec { name, command: command.collect(), env: &[] }
        };
        let with_key =
            |spec| ServerSpec { env: &[("API_KEY", "sk-test-4f8a01b2c3d4e5f6")], ..spec };
        Ok(match agent.name() {
            "claude-code" => vec![
                server("everything", everything()?, &[]),
                server("filesystem", filesystem()?, &[&project]),
                with_key(server("memory", memory()?, &[])),
                server("honest", test_server.display().to_string(), &[]),
            ],
            "codex" => vec![
                server("time", time()?, &["--local-timezone", "UTC"]),
                server("docs", filesystem()?, &["/usr/share"]),
                server("everything", everything()?, &[]),
            ],
            "opencode" => vec![
                with_key(server("notes", memory()?, &[])),
                server("tokyo", time()?, &["--local-timezone", "Asia/Tokyo"]),
            ],
            _ => vec![
                server("temp", filesystem()?, &["/tmp"]),
                server("clock", time()?, &["--local-timezone", "Europe/Berlin"]),
            ],
        })
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

/// The path of a program of a published server. `.ci/run` installs them.
fn published(file: &str) -> anyhow::Result<String> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_SERVERS").map(PathBuf::from);
    let path = folder.unwrap_or_else(|| repo::root().join("target/test-servers")).join(file);
    ensure!(path.exists(), "{} is missing; .ci/run installs it", path.display());
    Ok(path.display().to_string())
}
