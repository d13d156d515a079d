//! Tags that pose as part of a model's conversation, and markup that a web page might run.

use super::phrases::{PhraseMatches, excerpt};
use super::{Finding, FindingKind, Severity};
use std::ops::Range;

/// Words that, as a tag around a text, give it false authority.
const ROLE_TAGS: [&str; 34] = [
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

/// Delimiters between the turns of a conversation inside a model, and ends of the definition
/// itself.
const TURN_MARKERS: [&str; 18] = [
    "</description>",
    "</tool>",
    "</tools>",
    "</function>",
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
const ROLE_PREFIXES: [(&str, u32); 23] = [
    ("\n\nUser:", 4),
    ("\n\nAssistant:", 4),
    ("\n\nTool result:", 5),
    ("Operator message", 7),
    ("Developer message", 7),
    ("Message from the", 4),
    ("END OF", 4),
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
const MAX_TAG_BYTES: usize = 60;
/// Longer than an address that a description shows.
const MAX_ADDRESS_BYTES: usize = 300;

/// Adds the weight of tags and turns that pose as another speaker.
pub(super) fn add_matches(text: &str, tally: &mut PhraseMatches) {
    if !text.contains(['<', '[', ':', '#']) && !text.contains("SYSTEM") {
        return;
    }
    if let Some(address) = address_to_fill_in(text) {
        tally.add_to("image", 4, || excerpt(text, address));
    }
    let lower = text.to_ascii_lowercase();
    for (at, _) in lower.match_indices(['<', '[']).take(MAX_TAGS) {
        if let Some((weight, end)) = tag(text, &lower, at) {
            tally.add_to("pose", weight, || excerpt(text, at..end));
        }
    }
    for turn in TURN_MARKERS {
        if let Some(at) = lower.find(turn) {
            tally.add_to("pose", 10, || excerpt(text, at..at + turn.len()));
        }
    }
    for (speaker, weight) in ROLE_PREFIXES {
        let is_start = |at| speaker.starts_with('\n') || is_line_start(text, at);
        let line_starts = text.match_indices(speaker).find(|(at, _)| is_start(*at));
        if let Some((at, _)) = line_starts {
            tally.add_to("pose", weight, || excerpt(text, at..at + speaker.len()));
        }
    }
}

/// The address of an image or link that is completed with something that the model knows.
fn address_to_fill_in(text: &str) -> Option<Range<usize>> {
    let starts = ["](http", "src=\"http", "src='http", "src=http"];
    let starts = starts.iter().flat_map(|start| text.match_indices(start).take(MAX_TAGS));
    starts.map(|(at, start)| at + start.len() - "http".len()).find_map(|at| {
        let rest = &text[at..text.floor_char_boundary(at + MAX_ADDRESS_BYTES)];
        let end = rest.find([')', '"', '\'', ' ', '\n']).unwrap_or(rest.len());
        let address = &rest[..end];
        let is_open = address.contains(['{', '<', '[', '$']) || address.ends_with('=');
        let of_query = address.split_once('=').map_or("", |(_, value)| value);
        let is_name = of_query.len() > 2 && of_query.bytes().all(|byte| byte.is_ascii_uppercase());
        (is_open || is_name).then_some(at..at + end)
    })
}

fn is_line_start(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '*', '#', '"', '\'', '(']);
    before.is_empty() || before.ends_with(['\n', '.', '!', '-', '>', ']', ':', ';', '{'])
}

/// The weight of the tag at this position, and its end. A closed tag wraps a text; a single one in
/// lower case may be a placeholder.
fn tag(text: &str, lower: &str, at: usize) -> Option<(u32, usize)> {
    let rest = &lower[at + 1..lower.floor_char_boundary(at + MAX_TAG_BYTES)];
    let name_length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'))?;
    let name = rest[..name_length].replace('-', "_");
    let is_bracket = lower[at..].starts_with('[');
    let end = at + 1 + rest.find(if is_bracket { ']' } else { '>' })? + 1;
    if !ROLE_TAGS.contains(&name.as_str()) {
        return None;
    }
    // The documentation of a large cloud provider wraps its remarks like this.
    if lower[end..].trim_start().starts_with("<p") {
        return None;
    }
    let closing = if is_bracket { "[/" } else { "</" };
    let is_closed = lower[end..].contains(&format!("{closing}{}", &rest[..name_length]));
    let is_upper_case = !is_bracket
        && text[at + 1..].starts_with(|c: char| c.is_ascii_uppercase())
        && name != "agent";
    match (is_closed, is_upper_case, name.as_str()) {
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
    let first = |patterns: &[&str]| {
        patterns.iter().find_map(|pattern| lower.find(pattern).map(|at| at..at + pattern.len()))
    };
    let address = ACTIVE
        .iter()
        .find(|active| lower.trim_start().starts_with(**active))
        .map(|active| 0..active.len());
    let severe = address.or_else(|| first(&LINKS)).map(|address| (Severity::Severe, address));
    let (severity, at) = severe.or_else(|| first(&TAGS).map(|value| (Severity::Note, value)))?;
    Some(Finding::new(FindingKind::Markup, severity, excerpt(text, at)))
}
