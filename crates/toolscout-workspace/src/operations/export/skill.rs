//! Instructions for agents to find and run our tools, in the form of a skill.

const TEXT: &str = include_str!("skill.md");
/// Stands in every skill that we have written, and in no other.
const MARK: &str = "<!-- Written by `export skill`; do not edit, export again. -->";

/// The skill, in the words of a program of this name.
pub(super) fn text(program: &str) -> String {
    TEXT.replace("PROGRAM", program).replace("MARK\n", &format!("{MARK}\n"))
}

/// Its path in a folder of skills: each has a folder of its own name.
pub(super) fn file(program: &str) -> String {
    format!("{program}/SKILL.md")
}

pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}
