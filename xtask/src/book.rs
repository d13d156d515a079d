//! `cargo xtask book`: builds the documentation with mdBook, and checks the links of the result.
//!
//! mdBook makes its own ids of headings; only the built pages show whether a link works there.

#[cfg(test)]
mod tests;

use crate::repo;
use anyhow::{Context, bail, ensure};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

pub(crate) fn run() -> anyhow::Result<()> {
    let Some(mdbook) = mdbook() else {
        ensure!(!repo::requires_all_programs(), "`mdbook` is not installed");
        println!("skipped: needs mdbook");
        return Ok(());
    };
    let built = Command::new(&mdbook).arg("build").current_dir(repo::root()).output();
    let built = built.with_context(|| format!("start {}", mdbook.display()))?;
    let log = String::from_utf8_lossy(&built.stdout) + String::from_utf8_lossy(&built.stderr);
    let is_clean = built.status.success() && !has_warning(&log);
    ensure!(is_clean, "the book was not built without warnings:\n{log}");
    let findings = dead_links(&repo::root().join("target/book"))?;
    findings.iter().for_each(|finding| println!("{finding}"));
    match findings.len() {
        0 => Ok(()),
        count => bail!("{count} dead links in the book"),
    }
}

/// The program that `TOOLSCOUT_TEST_MDBOOK` names, else `mdbook` in `PATH`.
fn mdbook() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLSCOUT_TEST_MDBOOK").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = || std::env::split_paths(&path).map(|folder| folder.join("mdbook"));
    named.into_iter().chain(found()).find(|program| program.is_file())
}

fn has_warning(log: &str) -> bool {
    log.lines().any(|line| matches!(line.split_whitespace().next(), Some("WARN" | "ERROR")))
}

/// Links between pages of the book whose target is not there. Links that lead out of the book are
/// for readers of the repository.
fn dead_links(book: &Path) -> anyhow::Result<Vec<String>> {
    let book = book.canonicalize().context("find the book")?;
    let mut pages = HashMap::new();
    for path in repo::files(&book)? {
        let name = path.strip_prefix(&book)?.to_owned();
        if path.extension().is_some_and(|extension| extension == "html") {
            pages.insert(name, Page::of(&fs::read_to_string(&path)?));
        } else {
            pages.insert(name, Page::default());
        }
    }
    let mut findings = Vec::new();
    for (name, page) in &pages {
        // These two repeat other pages, with links that are relative to those.
        if name.ends_with("print.html") || name.ends_with("404.html") {
            continue;
        }
        for link in &page.links {
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let Some(target) = resolve(name, file) else { continue };
            let there = pages.get(&target);
            if !there.is_some_and(|page| id.is_empty() || page.ids.contains(id)) {
                findings.push(format!("{}: `{link}` leads nowhere", name.display()));
            }
        }
    }
    findings.sort();
    Ok(findings)
}

/// The links and the ids of a page.
#[derive(Debug, Default)]
struct Page {
    links: Vec<String>,
    ids: HashSet<String>,
}

impl Page {
    fn of(html: &str) -> Self {
        let links = values(html, " href=\"").filter(|link| !link.contains("://"));
        Self {
            links: links.map(str::to_owned).collect(),
            ids: values(html, " id=\"").map(str::to_owned).collect(),
        }
    }
}

/// The values of an attribute, in the order of the page.
fn values<'a>(html: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = html.split(attribute).skip(1);
    parts.map(|part| part.split('"').next().unwrap_or_default())
}

/// The path of a link within the book; none if it leads out of it.
fn resolve(page: &Path, file: &str) -> Option<PathBuf> {
    if file.is_empty() {
        return Some(page.to_owned());
    }
    let mut target = page.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => target.pop().then_some(())?,
            Component::Normal(name) => target.push(name),
            _ => {}
        }
    }
    Some(target)
}
