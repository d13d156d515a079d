//! The features of the designs: each row of `docs/reference/designs.md` names tests that exist, and
//! the numbers in its text and headings are those of its rows.

use super::{cases, shown};
use crate::repo;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/reference/designs.md";

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let page = fs::read_to_string(root.join(PAGE)).with_context(|| format!("read {PAGE}"))?;
    Ok(findings(&page, &tests_of_repository(root)?))
}

/// The names of all tests.
pub(super) fn tests_of_repository(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut tests = BTreeSet::new();
    for path in repo::files(root)? {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("read {}", shown(root, &path)))?;
            tests.extend(names_of_tests(&text));
        }
    }
    Ok(tests)
}

/// The findings for a page, if these are all tests of the repository.
pub(super) fn findings(page: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    let mut sections: Vec<(&str, usize)> = Vec::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push((heading, 0));
        } else if let (Some(row), Some((_, rows))) = (feature(line), sections.last_mut()) {
            *rows += 1;
            findings.extend(row_findings(&row, tests));
        }
    }
    for (heading, rows) in &sections {
        if !heading.ends_with(&format!(": {rows} features")) {
            findings.push(format!("{PAGE}: `{heading}` has {rows} rows"));
        }
    }
    let total: usize = sections.iter().map(|(_, rows)| rows).sum();
    if !page.contains(&format!(" {total} features ")) {
        findings.push(format!("{PAGE}: the text does not name the number of all rows, {total}"));
    }
    findings
}

/// A feature, where it is, and what shows it.
fn feature(line: &str) -> Option<[&str; 3]> {
    let cells: Vec<_> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    <[&str; 3]>::try_from(cells).ok().filter(|cells| cells[0] != "feature")
}

fn row_findings([feature, _, shown_by]: &[&str; 3], tests: &BTreeSet<String>) -> Vec<String> {
    let named: Vec<_> = shown_by.split('`').skip(1).step_by(2).collect();
    if named.is_empty() && cases::ids(shown_by).next().is_none() {
        return vec![format!("{PAGE}: no test shows `{feature}`")];
    }
    let missing = named.into_iter().filter(|name| !tests.contains(*name));
    missing.map(|name| format!("{PAGE}: there is no test `{name}`")).collect()
}

/// The functions with a test attribute.
pub(super) fn names_of_tests(text: &str) -> Vec<String> {
    let (mut names, mut is_test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
            names.extend(rest.split('(').next().map(str::to_owned));
            is_test = false;
        }
    }
    names
}
