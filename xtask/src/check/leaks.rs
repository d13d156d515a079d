//! Paths of one machine, and unresolved merge conflicts: neither belongs in the repository.

use super::shown;
use crate::repo;
use std::fs;
use std::path::Path;

/// Top-level folders under which users and build machines store their checkouts.
const HOMES: &[&str] = &["root", "home", "Users", "work", "workspace", "builds"];

/// User names that are allowed in examples.
const EXAMPLE_USERS: &[&str] = &["me", "you", "user", "ada", "alice", "ann", "bob"];

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for path in repo::files(root)? {
        // Binary files are skipped.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = shown(root, &path);
        let lines = text.lines().enumerate();
        findings.extend(
            lines.filter_map(|(at, line)| {
                leak(line).map(|leak| format!("{name}:{}: {leak}", at + 1))
            }),
        );
    }
    Ok(findings)
}

/// The forbidden content of this line, if any.
pub(super) fn leak(line: &str) -> Option<String> {
    if line.starts_with(&"<".repeat(7)) || line.starts_with(&">".repeat(7)) {
        return Some("an unresolved merge conflict".to_owned());
    }
    HOMES
        .iter()
        .find_map(|home| machine_path(line, home))
        .map(|machine_path| format!("`{machine_path}` is a path of one machine"))
}

/// The first path below this folder with a real user name.
fn machine_path<'a>(line: &'a str, home: &str) -> Option<&'a str> {
    let start = format!("/{home}/");
    line.match_indices(&start).find_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        let is_absolute =
            before.is_none_or(|value| !value.is_alphanumeric() && !"._-~}/*".contains(value));
        let path = &line[at..];
        let end =
            path.find(|c: char| c.is_whitespace() || "\"'`)>,;".contains(c)).unwrap_or(path.len());
        let first = path[start.len()..end].split('/').next().unwrap_or("");
        let is_real =
            !first.is_empty() && first.starts_with(|c: char| c.is_alphanumeric() || c == '.');
        (is_absolute && is_real && !EXAMPLE_USERS.contains(&first)).then_some(&path[..end])
    })
}
