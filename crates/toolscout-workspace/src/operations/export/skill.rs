//! Instructions for agents to find and run our tools, in the form of a skill.

const TEXT: &str = include_str!("skill.md");
/// The mark in every skill that toolscout wrote, and in no other.
const MARK: &str = "<!-- Written by `export skill`; do not edit, export again. -->";

/// The text of the skill for a program of this name.
pub(super) fn text(program: &str) -> String {
    TEXT.replace("PROGRAM", program).replace("MARK\n", &format!("{MARK}\n"))
}

/// The path in a folder of skills: each skill has a folder with its name.
pub(super) fn file(program: &str) -> String {
    format!("{program}/SKILL.md")
}

pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}
