//! The repository on disk: where it is, which files people wrote, how cargo is called in it.

use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo, the one that built us, in the repository.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).stdin(Stdio::null());
    cargo
}

/// Runs it to the end, with its output on ours.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("start {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// Every file below the folder that a person may have written, sorted.
pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_file() {
            found.push(path);
        } else if kind.is_dir() && !is_made_by_a_program(&path) {
            collect(&path, found)?;
        }
    }
    Ok(())
}

/// Build output carries this tag wherever `CARGO_TARGET_DIR` puts it, unless somebody made the folder before cargo did.
fn is_made_by_a_program(folder: &Path) -> bool {
    let named = [".git", "node_modules", "target"].iter().any(|it| folder.ends_with(it));
    named || folder.join("CACHEDIR.TAG").exists()
}
