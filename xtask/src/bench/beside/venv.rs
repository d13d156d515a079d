//! A Python environment with the compared packages in fixed versions, in the build folder.

use crate::repo;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Venv(PathBuf);

impl Venv {
    /// Creates the environment if it is missing or outdated; that needs the network.
    pub(super) fn ready(folder: &Path) -> anyhow::Result<Self> {
        let lists = repo::root().join("xtask/retrieval");
        let (packages, models) = (lists.join("requirements.txt"), lists.join("models.txt"));
        let wanted = [fs::read_to_string(&packages)?, fs::read_to_string(&models)?].concat();
        let (venv, stamp) = (Self(folder.to_owned()), folder.join("installed.txt"));
        if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
            return Ok(venv);
        }
        eprintln!("installing what we compare with …");
        let python = Command::new("python3").args(["-m", "venv"]).arg(folder).status();
        python.context("start python3, which is needed for this")?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        repo::succeed(venv.python().args(install).arg("-r").arg(packages))?;
        repo::succeed(venv.python().args(install).arg("--no-deps").arg("-r").arg(models))?;
        fs::write(stamp, wanted)?;
        Ok(venv)
    }

    pub(super) fn python(&self) -> Command {
        Command::new(self.0.join("bin").join("python"))
    }
}
