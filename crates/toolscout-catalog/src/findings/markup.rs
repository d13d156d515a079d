//! Tags that pose as part of a model's conversation, and markup that a web page might run.

use super::phrases::{PhraseMatches, excerpt};
use super::{Finding, FindingKind, Severity};

/// Words that, as a tag around a text, give it false authority.
const POSES: [&str; 34] = [
    "important",
    "system",
    "critical",
    "hidden",
    "secret",
    "instruction",
    "instructions",
    "override",
    "mandatory",
    "urgent",
    "admin",
    "inst",
    "sys",
    "assistant",
    "priority",
    "attention",
    "directive",
    "command",
    "commands",
    "system_prompt",
    "system_message",
    "system_instruction",
    "system_instructions",
    "system_note",
    "system_reminder",
    "developer",
    "internal",
    "confidential",
    "private",
    "rules",
    "policy",
    "always",
    "agent",
    "required",
];

/// Delimiters between the turns of a conversation inside a model.
const TURNS: [&str; 14] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "\n\nhuman:",
];

/// Line beginnings that pose as the turn of another speaker.
const SPEAKERS: [(&str, u32); 16] = [
    ("SYSTEM:", 7),
    ("System:", 4),
    ("[SYSTEM", 10),
    ("[System", 6),
    ("[ADMIN", 10),
    ("[IMPORTANT", 6),
    ("[HIDDEN", 10),
    ("### System", 7),
    ("### Instruction", 7),
    ("## SYSTEM", 7),
    ("SYSTEM MESSAGE", 7),
    ("SYSTEM NOTE", 7),
    ("SYSTEM OVERRIDE", 10),
    ("SYSTEM PROMPT", 7),
    ("\"role\":\"system\"", 7),
    ("\"role\": \"system\"", 4),
];

/// Maximum number of tags examined, more than a description has; each is searched for its end.
const MAX_TAGS: usize = 64;
/// Longer than a tag with its attributes.
const LONGEST_TAG: usize = 60;

/// Adds the weight of tags and turns that pose as another speaker.
pub(super) fn weigh(text: &str, tally: &mut PhraseMatches) {
    if !text.contains(['<', '[', ':', '#']) && !text.contains("SYSTEM") {
        return;
    }
    let lower = text.to_ascii_lowercase();
    for (at, _) in lower.match_indices(['<', '[']).take(MAX_TAGS) {
        if let Some((weight, end)) = tag(text, &lower, at) {
            tally.add_to("pose", weight, || excerpt(text, at..end));
        }
    }
    for turn in TURNS {
        if let Some(at) = lower.find(turn) {
            tally.add_to("pose", 10, || excerpt(text, at..at + turn.len()));
        }
    }
    for (speaker, weight) in SPEAKERS {
        let line_starts = text.match_indices(speaker).find(|(at, _)| is_line_start(text, *at));
        if let Some((at, _)) = line_starts {
            tally.add_to("pose", weight, || excerpt(text, at..at + speaker.len()));
        }
    }
}

fn is_line_start(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '*', '#', '"', '\'', '(']);
    before.is_empty() || before.ends_with(['\n', '.', '!', '-', '>', ']', ':', ';', '{'])
}

/// The weight of the tag at this position, and its end. A closed tag wraps a text; a single one in
/// lower case may be a placeholder.
fn tag(text: &str, lower: &str, at: usize) -> Option<(u32, usize)> {
    let rest = &lower[at + 1..lower.floor_char_boundary(at + LONGEST_TAG)];
    let name_length =
        rest.find(|it: char| !it.is_ascii_alphanumeric() && !matches!(it, '_' | '-'))?;
    let name = rest[..name_length].replace('-', "_");
    let is_bracket = lower[at..].starts_with('[');
    let end = at + 1 + rest.find(if is_bracket { ']' } else { '>' })? + 1;
    if !POSES.contains(&name.as_str()) {
        return None;
    }
    // The documentation of a large cloud provider wraps its remarks like this.
    if lower[end..].trim_start().starts_with("<p") {
        return None;
    }
    let closing = if is_bracket { "[/" } else { "</" };
    let is_closed = lower[end..].contains(&format!("{closing}{}", &rest[..name_length]));
    let is_loud = !is_bracket
        && text[at + 1..].starts_with(|it: char| it.is_ascii_uppercase())
        && name != "agent";
    match (is_closed, is_loud, name.as_str()) {
        (_, true, "important") | (true, true, _) => Some((10, end)),
        (
            true,
            false,
            "important" | "secret" | "hidden" | "critical" | "override" | "instructions",
        ) => Some((10, end)),
        (true, false, name) if name.starts_with("system") => Some((10, end)),
        (true, false, _) => Some((6, end)),
        (false, true, _) => Some((5, end)),
        (false, false, _) => None,
    }
}

/// URLs and markup that are active when a web page shows them.
pub(super) fn finding(text: &str) -> Option<Finding> {
    const ACTIVE: [&str; 4] =
        ["javascript:", "vbscript:", "data:text/html", "data:application/xhtml"];
    const LINKS: [&str; 2] = ["](javascript:", "](data:text/html"];
    const TAGS: [&str; 9] = [
        "<script", "</script", "<iframe", "onerror=", "onload=", "<object", "<embed", "<svg",
        "srcdoc=",
    ];
    if !text.contains(['<', ':', '=']) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let first = |of: &[&str]| of.iter().find_map(|it| lower.find(it).map(|at| at..at + it.len()));
    let address =
        ACTIVE.iter().find(|it| lower.trim_start().starts_with(**it)).map(|it| 0..it.len());
    let severe = address.or_else(|| first(&LINKS)).map(|it| (Severity::Severe, it));
    let (severity, at) = severe.or_else(|| first(&TAGS).map(|it| (Severity::Note, it)))?;
    Some(Finding::new(FindingKind::Markup, severity, excerpt(text, at)))
}
