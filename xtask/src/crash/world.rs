//! The project in which commands are killed, a twin in which none is killed, and their servers.

use super::place::{CrashProject, SERVERS};
use super::shadow::Shadow;
use crate::hostile::HostilePrograms;
use anyhow::{Context, ensure};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// The size of the world.
pub(crate) struct CrashWorldSize {
    /// The number of tools of the big server.
    pub(crate) tools: usize,
    /// The timeout for the server that never responds, in milliseconds.
    pub(crate) patience_ms: usize,
}

impl CrashWorldSize {
    pub(crate) const WHOLE: Self = Self { tools: 1_000, patience_ms: 400 };
}

pub(super) struct CrashWorld {
    top: TempDir,
    toolscout: PathBuf,
    /// The command of an honest server.
    pub(super) server: Vec<String>,
    /// Part of the command line of every server of this world, and of their child processes.
    pub(super) mark: String,
    /// The initial configuration.
    config: String,
    pub(super) real: CrashProject,
    pub(super) twin: CrashProject,
}

impl CrashWorld {
    pub(super) fn new(programs: &HostilePrograms, size: &CrashWorldSize) -> anyhow::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let top = TempDir::new().context("make a temporary folder")?;
        for folder in ["elsewhere", SERVERS] {
            fs::create_dir(top.path().join(folder))?;
        }
        let mark = format!("ruin-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let HostilePrograms { toolscout, hostile } = programs;
        let (toolscout, hostile) = (toolscout.clone(), hostile.clone());
        let log = top.path().join(SERVERS).join("log").display().to_string();
        let words = [&hostile.display().to_string(), "--name", &mark, "--ttl", "60", "--log", &log];
        let server = words.map(str::to_owned).to_vec();
        let config = config(&server, size);
        let real = CrashProject::new(top.path().join("real"), &toolscout, &config)?;
        let twin = CrashProject::new(top.path().join("twin"), &toolscout, &config)?;
        for place in [&real, &twin] {
            let asked = place.run_plain(&["server", "refresh"])?;
            ensure!(
                asked.code == Some(3),
                "`server refresh` did not exit with 3: {}",
                asked.said()
            );
        }
        Ok(Self { top, toolscout, server, mark, config, real, twin })
    }

    /// A new project without any state.
    pub(super) fn fresh(&self) -> anyhow::Result<(CrashProject, Shadow)> {
        let folder = tempfile::Builder::new().prefix("fresh-").tempdir_in(self.top.path())?.keep();
        Ok((
            CrashProject::new(folder, &self.toolscout, &self.config)?,
            Shadow::of_config(&self.config),
        ))
    }

    /// A folder whose trust is switched.
    pub(super) fn elsewhere(&self) -> String {
        self.top.path().join("elsewhere").display().to_string()
    }
}

/// Five servers, of which one never responds, one starts a child process, one has many tools, and
/// one is not trusted.
fn config(server: &[String], size: &CrashWorldSize) -> String {
    let patience = format!("discovery_timeout_ms = {}\n", size.patience_ms);
    let tools = size.tools.to_string();
    let servers: [(&str, &[&str], &str); 5] = [
        ("calm", &[], ""),
        ("family", &["--mode", "grandchild"], ""),
        ("big", &["--tools", &tools], ""),
        ("stuck", &["--mode", "hang_list"], &patience),
        ("wary", &[], "trust = false\n"),
    ];
    let entry = |(id, more, rest): (&str, &[&str], &str)| {
        let words = server.iter().map(String::as_str).chain(more.iter().copied());
        let quoted: Vec<String> = words.map(|word| toml::Value::from(word).to_string()).collect();
        format!(
            "# {id}\n[servers.{id}]\ncommand = {}\nargs = [{}]\n{rest}",
            quoted[0],
            quoted[1..].join(", ")
        )
    };
    servers.map(entry).join("\n")
}
