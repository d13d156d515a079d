//! The programs under test.

use crate::repo;
use std::path::PathBuf;

pub(super) struct ConformancePrograms {
    pub(super) toolscout: PathBuf,
    /// The server behind it.
    pub(super) reference: PathBuf,
    pub(super) client: PathBuf,
}

impl ConformancePrograms {
    pub(super) fn build(is_debug: bool) -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args([
            "build",
            "-p",
            "toolscout",
            "-p",
            "toolscout-hostile",
            "--bins",
            "--example",
            "conformance_client",
        ]);
        if !is_debug {
            cargo.arg("--release");
        }
        let mut built = repo::build(cargo)?;
        let (toolscout, reference) = (built.take("toolscout")?, built.take("toolscout-hostile")?);
        Ok(Self { toolscout, reference, client: built.take("conformance_client")? })
    }
}
