//! Case ids: each id in a comment or a page is in `docs/cases.md`, and each case there is listed
//! once and named by a test.

use super::shown;
use crate::repo;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = "docs/cases.md";

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let list = fs::read_to_string(root.join(LIST)).with_context(|| format!("read {LIST}"))?;
    let (mut findings, mut tested) = (Vec::new(), BTreeSet::new());
    let mut listed = BTreeSet::new();
    for case in cases(&list).filter(|case| !listed.insert(*case)) {
        findings.push(format!("{LIST}: `{case}` is listed twice"));
    }
    for path in repo::files(root)? {
        let name = shown(root, &path);
        if name == LIST || !(name.ends_with(".rs") || name.ends_with(".md")) {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
        let (is_rust, is_test_file) =
            (name.ends_with(".rs"), name.contains("/tests/") || name.ends_with("/tests.rs"));
        let mut is_test = is_test_file;
        for line in text.lines() {
            is_test |= is_rust && line.trim() == "#[cfg(test)]";
            for id in ids(if is_rust { comment(line) } else { line }) {
                match listed.get(id) {
                    Some(case) if is_test => drop(tested.insert(*case)),
                    Some(_) => {}
                    None => findings.push(format!("{name}: `{id}` is not in {LIST}")),
                }
            }
        }
    }
    findings
        .extend(listed.difference(&tested).map(|case| format!("{LIST}: no test names `{case}`")));
    Ok(findings)
}

/// The ids in the first column of the tables.
pub(super) fn cases(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|cell| is_id(cell))
}

/// The ids in a text: `D-13`, `T22`, `S7`. A letter may follow the two digits after a dash.
pub(super) fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).filter(|word| is_id(word))
}

fn comment(line: &str) -> &str {
    line.find("//").map_or("", |at| &line[at..])
}

fn is_id(word: &str) -> bool {
    match *word.as_bytes() {
        [b'A'..=b'Z', b'-', tens, ones, b'a'..=b'z'] | [b'A'..=b'Z', b'-', tens, ones] => {
            tens.is_ascii_digit() && ones.is_ascii_digit()
        }
        [b'T', tens, ones] => tens.is_ascii_digit() && ones.is_ascii_digit(),
        [b'S', b'1'..=b'9'] | [b'S', b'1'..=b'9', b'0'..=b'9'] => true,
        _ => false,
    }
}
