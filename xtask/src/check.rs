//! Checks of the repository itself: crate dependencies, licenses, import cycles, cases, designs,
//! threats, links, module docs, no paths of one machine, names and prose.
//!
//! Each check reads the repository and returns its findings as sentences; an empty list passes.

mod arrows;
mod cases;
mod cycles;
mod dependencies;
mod designs;
mod leaks;
mod links;
mod names;
mod prose;
mod signs;
#[cfg(test)]
mod tests;
mod threats;

pub(crate) use cycles::is_cfg_test;
pub(crate) use prose::is_for_tests;

use crate::repo;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

type RepositoryCheck = fn(&Path) -> anyhow::Result<Vec<String>>;

const CHECKS: &[(&str, RepositoryCheck)] = &[
    ("arrows", arrows::check),
    ("cycles", cycles::check),
    ("cases", cases::check),
    ("dependencies", dependencies::check),
    ("designs", designs::check),
    ("links", links::check),
    ("signs", signs::check),
    ("threats", threats::check),
    ("leaks", leaks::check),
    ("names", names::check),
    ("prose", prose::check),
];

/// Prints every phrase of the prose check with its line, and how often it occurs.
pub(crate) fn list_prose() -> anyhow::Result<()> {
    prose::list(repo::root())
}

/// Runs all checks, or the one of this name.
pub(crate) fn run(only: Option<&str>) -> anyhow::Result<()> {
    let checks: Vec<_> = match only {
        None => CHECKS.iter().collect(),
        Some(only) => {
            let check = CHECKS.iter().find(|(name, _)| *name == only);
            let names = || CHECKS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            vec![
                check
                    .with_context(|| format!("`{only}` is not a check; use one of {}", names()))?,
            ]
        }
    };
    let mut count = 0;
    for (name, check) in checks {
        for finding in check(repo::root())? {
            println!("{name}: {finding}");
            count += 1;
        }
    }
    match count {
        0 => Ok(()),
        1 => bail!("one finding"),
        _ => bail!("{count} findings"),
    }
}

/// The files of all crates.
fn files_of_crates(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = repo::files(&root.join("crates"))?;
    files.extend(repo::files(&root.join("xtask"))?);
    Ok(files)
}

/// The path relative to the top of the repository.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
