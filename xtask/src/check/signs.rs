//! Module docs: each source file starts with a sentence about its content.

use super::{files_of_crates, shown};
use anyhow::Context;
use std::fs;
use std::path::Path;

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for path in files_of_crates(root)? {
        let name = shown(root, &path);
        if !name.contains("/src/") || !name.ends_with(".rs") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
        findings.extend(fault(&name, &text));
    }
    Ok(findings)
}

/// The problem with this file's name or first line, if any.
pub(super) fn fault(name: &str, text: &str) -> Option<String> {
    let file = name.rsplit('/').next().unwrap_or(name);
    if file == "mod.rs" {
        return Some(format!("{name}: name it after its module, beside the module's folder"));
    }
    if file == "tests.rs" || name.contains("/tests/") {
        return None;
    }
    let first = text.lines().next().unwrap_or("");
    let says_something = first.strip_prefix("//! ").is_some_and(|rest| rest.trim().len() > 10);
    (!says_something).then(|| format!("{name}: open it with `//!` and one sentence"))
}
