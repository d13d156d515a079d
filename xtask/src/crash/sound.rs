//! Checks the integrity of a store, page by page.

use super::place::CrashProject;
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Files that a killed writer may have left incomplete; the locks beside them are not copied.
const FILES: [&str; 5] = ["state.db", "state.db-wal", "trust.db", "trust.db-wal", "key"];

/// The damage of the store, if any. Checks a copy: the store itself stays as the crash left it.
///
/// toolscout does not know a folder without locks, so it checks every page of both databases there,
/// and sets damaged ones aside, which is visible. No process may use the store at the same time.
pub(super) fn check(place: &CrashProject) -> anyhow::Result<Option<String>> {
    if let Some(broken) = broken(&place.state())? {
        return Ok(Some(format!("`{broken}` was set aside")));
    }
    let copy = tempfile::tempdir().context("make a temporary folder")?;
    for name in FILES {
        let file = place.state().join(name);
        if file.exists() {
            fs::copy(&file, copy.path().join(name))
                .with_context(|| format!("copy {}", file.display()))?;
        }
    }
    let words = ["server", "list", "--json"].map(str::to_owned);
    // The copy trusts nothing, so the list needs both databases: one for cached tools, the other
    // for the user's decisions.
    let listed = place
        .command_with(copy.path(), &words)
        .stderr(Stdio::piped())
        .output()
        .context("list the copy")?;
    if !listed.status.success() {
        let said = String::from_utf8_lossy(&listed.stderr).into_owned();
        return Ok(Some(format!("a copy of the store cannot be used: {}", said.trim())));
    }
    Ok(broken(copy.path())?.map(|broken| format!("a copy of the store is damaged: `{broken}`")))
}

fn broken(folder: &Path) -> anyhow::Result<Option<String>> {
    let names = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.into_iter().find(|name| name.contains(".broken-")))
}
