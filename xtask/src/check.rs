//! Checks of the repository itself: crate dependencies, import cycles, cases, designs, links, module
//! docs, no paths of one machine, names and prose.
//!
//! Each check reads the repository and returns its findings as sentences; an empty list passes.

mod arrows;
mod cases;
mod cycles;
mod leaks;
mod links;
mod signs;
#[cfg(test)]
mod tests;

use crate::repo;
use anyhow::bail;
use std::path::Path;

type RepositoryCheck = fn(&Path) -> anyhow::Result<Vec<String>>;

const CHECKS: &[(&str, RepositoryCheck)] = &[
    ("arrows", arrows::check),
    ("cycles", cycles::check),
    ("cases", cases::check),
    ("links", links::check),
    ("signs", signs::check),
    ("leaks", leaks::check),
];

pub(crate) fn run() -> anyhow::Result<()> {
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

/// The path relative to the top of the repository.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
