//! `cargo xtask recipes`: applies the recipes of CONTRIBUTING.md to a copy of the repository, and
//! tests the additions.
//!
//! "An operation is one file and one line in a list" is easy to write and easy to break. Here each
//! of these recipes adds something real to a copy of the tree: at most one new file, and lines in
//! at most one list. The copy is built, and the program must show the addition.

mod list;
mod proof;
#[cfg(test)]
mod tests;

use crate::repo;
use anyhow::{Context, ensure};
use list::RECIPES;
use proof::Programs;
use std::fs;
use std::path::Path;

/// One row of the table "One thing, one place" in CONTRIBUTING.md, applied literally.
pub(crate) struct Recipe {
    /// The beginning of the row.
    pub(crate) adds: &'static str,
    /// The new file: its path, and its text.
    pub(crate) file: Option<(&'static str, &'static str)>,
    /// The lines that register it, all of them in one file.
    pub(crate) list: Listing,
    /// Fails unless the built programs show the addition.
    pub(crate) proof: fn(&Programs) -> anyhow::Result<()>,
}

/// Lines added to an existing file.
pub(crate) struct Listing {
    pub(crate) file: &'static str,
    /// Each with the line that it follows, without indentation.
    pub(crate) lines: &'static [(&'static str, &'static str)],
}

pub(crate) fn run() -> anyhow::Result<()> {
    let tree = repo::root().join("target/recipes");
    copy(repo::root(), &tree)?;
    for recipe in RECIPES {
        follow(recipe, &tree).with_context(|| format!("the recipe for {}", recipe.adds))?;
    }
    // Dependencies are shared with other builds of the repository; only our own crates are built
    // again.
    let mut cargo = repo::cargo();
    cargo.current_dir(&tree).args([
        "build",
        "-p",
        "toolscout",
        "-p",
        "toolscout-hostile",
        "--target-dir",
    ]);
    cargo.arg(repo::root().join("target"));
    let mut built = repo::build(cargo)?;
    let programs =
        Programs { toolscout: built.take("toolscout")?, hostile: built.take("toolscout-hostile")? };
    for recipe in RECIPES {
        (recipe.proof)(&programs).with_context(|| format!("the recipe for {}", recipe.adds))?;
        println!("{}: works", recipe.adds);
    }
    fs::remove_dir_all(&tree).with_context(|| format!("remove {}", tree.display()))
}

/// Applies a recipe to a tree.
fn follow(recipe: &Recipe, tree: &Path) -> anyhow::Result<()> {
    if let Some((path, text)) = recipe.file {
        let path = tree.join(path);
        ensure!(!path.exists(), "{} exists already", path.display());
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    }
    let path = tree.join(recipe.list.file);
    let before = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let after =
        recipe.list.lines.iter().try_fold(before, |text, (after, line)| insert(&text, after, line));
    fs::write(&path, after.with_context(|| recipe.list.file)?)
        .with_context(|| format!("write {}", path.display()))
}

/// The text with a line added after the first line that reads `after`, at the same indentation.
fn insert(text: &str, after: &str, line: &str) -> anyhow::Result<String> {
    let at = text.lines().position(|existing| existing.trim() == after);
    let at = at.with_context(|| format!("no line reads `{after}`"))?;
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let indent = lines[at].len() - lines[at].trim_start().len();
    lines.insert(at + 1, format!("{}{line}", " ".repeat(indent)));
    Ok(lines.join("\n") + "\n")
}

/// Copies all source files, so that the copy can be built.
fn copy(root: &Path, tree: &Path) -> anyhow::Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree).with_context(|| format!("remove {}", tree.display()))?;
    }
    for path in repo::files(root)? {
        let to = tree.join(path.strip_prefix(root)?);
        let folder = to.parent().context("every file is in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        fs::copy(&path, &to).with_context(|| format!("copy {}", path.display()))?;
    }
    Ok(())
}
