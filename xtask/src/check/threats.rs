//! The threat model: each row of `docs/guide/threat-model.md` names tests that exist.

use super::designs::tests_of_repository;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/guide/threat-model.md";

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let page = fs::read_to_string(root.join(PAGE)).with_context(|| format!("read {PAGE}"))?;
    Ok(findings(&page, &tests_of_repository(root)?))
}

/// The findings for a page, if these are all tests of the repository.
pub(super) fn findings(page: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let (mut findings, mut rows) = (Vec::new(), 0);
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells[..] {
            [_, "shown by"] => continue,
            [claim, shown_by] => {
                rows += 1;
                let named: Vec<_> = shown_by.split('`').skip(1).step_by(2).collect();
                if named.is_empty() {
                    findings.push(format!("{PAGE}: no test shows `{claim}`"));
                }
                let missing = named.into_iter().filter(|name| !tests.contains(*name));
                findings.extend(missing.map(|name| format!("{PAGE}: there is no test `{name}`")));
            }
            _ => findings.push(format!("{PAGE}: a row needs a claim and its tests: {line}")),
        }
    }
    if rows == 0 {
        findings.push(format!("{PAGE}: there are no claims"));
    }
    findings
}
