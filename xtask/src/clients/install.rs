//! The agents from npm: pinned, and installed once per set of versions.

use super::agent::Agent;
use crate::repo;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PINS: [(&str, &str); 2] = [
    ("package.json", include_str!("npm/package.json")),
    ("package-lock.json", include_str!("npm/package-lock.json")),
];

/// The folder of the installed agents.
pub(super) struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// Installs missing agents: more than a gigabyte, from npm.
    pub(super) fn ready() -> anyhow::Result<Self> {
        let folder = repo::root().join("target/agents");
        let pins = PINS.map(|(_, text)| text).concat();
        let mark = folder.join("installed");
        if fs::read_to_string(&mark).is_ok_and(|text| text == pins) {
            return Ok(Self { folder });
        }
        eprintln!("installing agents into {} …", folder.display());
        fs::create_dir_all(&folder)?;
        PINS.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))?;
        // Their install scripts select the binary for this machine. `npm ci` does not work: it
        // requires the binaries of all systems in the lock file, and some registries lack them.
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
            .arg(&folder);
        let status =
            npm.stdin(Stdio::null()).status().context("start npm, which installs the agents")?;
        ensure!(status.success(), "npm could not install the agents: {status}");
        fs::write(mark, pins)?;
        Ok(Self { folder })
    }

    pub(super) fn program(&self, agent: &dyn Agent) -> PathBuf {
        self.folder.join("node_modules/.bin").join(agent.program())
    }
}

/// The pinned version.
pub(super) fn version(agent: &dyn Agent) -> String {
    let pinned: Value = serde_json::from_str(PINS[0].1).unwrap_or_default();
    pinned["dependencies"][agent.package()].as_str().unwrap_or("?").to_owned()
}
