//! Whether a store is whole, page by page.

use super::place::CrashProject;
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// What a killed writer may have left half done; the locks beside them are not copied.
const FILES: [&str; 5] = ["state.db", "state.db-wal", "trust.db", "trust.db-wal", "key"];

/// What is wrong with the store, if anything. Looks at a copy: the store itself stays as the crash has left it.
///
/// A folder without locks is one that toolscout does not know, so it looks at every page of both databases, and sets aside
/// what is damaged. It is seen there. Nothing must use the store meanwhile.
pub(super) fn check(place: &CrashProject) -> anyhow::Result<Option<String>> {
    if let Some(broken) = broken(&place.state())? {
        return Ok(Some(format!("`{broken}` was set aside")));
    }
    let copy = tempfile::tempdir().context("make a temporary folder")?;
    for name in FILES {
        let file = place.state().join(name);
        if file.exists() {
            fs::copy(&file, copy.path().join(name)).with_context(|| format!("copy {}", file.display()))?;
        }
    }
    let words = ["server", "list", "--json"].map(str::to_owned);
    // Nothing is trusted there, so the list needs both: the one for what is known, the other for what a person has said.
    let listed = place.command_with(copy.path(), &words).stderr(Stdio::piped()).output().context("list the copy")?;
    if !listed.status.success() {
        let said = String::from_utf8_lossy(&listed.stderr).into_owned();
        return Ok(Some(format!("a copy of the store cannot be used: {}", said.trim())));
    }
    Ok(broken(copy.path())?.map(|it| format!("a copy of the store is damaged: `{it}`")))
}

fn broken(folder: &Path) -> anyhow::Result<Option<String>> {
    let names = fs::read_dir(folder)?.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
    Ok(names.into_iter().find(|it| it.contains(".broken-")))
}
