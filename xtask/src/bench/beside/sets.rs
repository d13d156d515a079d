//! Query sets on disk: `tools.jsonl` and `queries.jsonl`, each possibly compressed; the tools may
//! be in another folder.

use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of one set.
pub(super) struct QuerySet {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) tools: PathBuf,
    pub(super) queries: PathBuf,
}

/// The set in this folder, or those in its subfolders; only the named ones in that order, if any
/// are named.
pub(super) fn find(folder: &Path, names: &[String]) -> anyhow::Result<Vec<QuerySet>> {
    let mut found = match of(folder) {
        Some(set) => vec![set],
        None => below(folder)?,
    };
    if !names.is_empty() {
        let place = |set: &QuerySet| names.iter().position(|name| *name == set.name);
        let missing = names.iter().find(|name| !found.iter().any(|item| item.name == **name));
        ensure!(
            missing.is_none(),
            "there is no query set `{}` in {}",
            missing.map_or("", |missing| missing),
            folder.display()
        );
        found.retain(|item| place(item).is_some());
        found.sort_by_key(place);
    }
    ensure!(!found.is_empty(), "there is no query set in {}", folder.display());
    Ok(found)
}

fn below(folder: &Path) -> anyhow::Result<Vec<QuerySet>> {
    let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    let mut folders = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    folders.sort();
    Ok(folders.iter().filter_map(|folder| of(folder)).collect())
}

fn of(folder: &Path) -> Option<QuerySet> {
    let queries = file(folder, "queries")?;
    let tools = file(folder, "tools").or_else(|| file(&elsewhere(folder)?, "tools"))?;
    let name = folder.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned();
    Some(QuerySet { name, folder: folder.to_owned(), tools, queries })
}

fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = ["jsonl", "jsonl.gz"].map(|end| folder.join(format!("{name}.{end}")));
    files.into_iter().find(|file| file.is_file())
}

/// The folder that the file `TOOLS` names in its text.
fn elsewhere(folder: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(folder.join("TOOLS")).ok()?;
    let named = text.split_whitespace().find(|word| word.contains('/'))?;
    Some(folder.join(named.strip_suffix('.').unwrap_or(named)))
}
