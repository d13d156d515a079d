//! Texts whose embeddings are compared: given by the user, or the project's own pages.

use crate::repo;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The number of compared texts; each takes a while in plain arithmetic.
const MANY: usize = 1000;

pub(super) fn read(file: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let text = match file {
        Some(file) => {
            fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?
        }
        None => pages()?,
    };
    Ok(sample(&text))
}

/// Distinct lines with at least two words, spread over the whole text.
pub(super) fn sample(text: &str) -> Vec<String> {
    let says_something = |text: &&str| {
        text.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty()).count() >= 2
    };
    let lines: BTreeSet<&str> = text.lines().map(str::trim).filter(says_something).collect();
    let step = lines.len().div_ceil(MANY).max(1);
    lines.into_iter().step_by(step).map(str::to_owned).collect()
}

fn pages() -> anyhow::Result<String> {
    let mut text = String::new();
    for path in repo::files(repo::root())?
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
    {
        text.push_str(
            &fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?,
        );
    }
    Ok(text)
}
