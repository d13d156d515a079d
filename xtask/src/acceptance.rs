//! Runs `demo/acceptance.sh` with the program that the last build or test made.

use crate::repo;
use anyhow::{Context, ensure};
use cargo_metadata::MetadataCommand;
use std::process::Command;

pub(crate) fn run() -> anyhow::Result<()> {
    let root = repo::root();
    let metadata =
        MetadataCommand::new().current_dir(root).no_deps().exec().context("ask cargo metadata")?;
    let program = metadata.target_directory.join("debug/toolscout");
    ensure!(program.exists(), "{program} does not exist; run `cargo build` first");
    repo::succeed(Command::new(root.join("demo/acceptance.sh")).arg(program))
}
