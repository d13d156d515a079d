//! Instructions for an agent: how to find and run what we have, in the form that agents read skills in.

use std::path::{Path, PathBuf};

const TEXT: &str = include_str!("skill.md");
/// Stands in every skill that we have written, and in no other.
const MARK: &str = "<!-- Written by `export skill`; do not edit, export again. -->";

/// The skill, in the words of a program of this name.
pub(super) fn text(program: &str) -> String {
    TEXT.replace("PROGRAM", program).replace("MARK\n", &format!("{MARK}\n"))
}

/// Where it belongs in a folder of skills: each has a folder of its own, with its name.
pub(super) fn file(folder: &Path, program: &str) -> PathBuf {
    folder.join(program).join("SKILL.md")
}

pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}
