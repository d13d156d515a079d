//! Names in code: retired type names stay retired, closure parameters have names, and no `match`
//! is on a bool.

use super::prose::is_for_tests;
use super::{files_of_crates, shown};
use crate::source_text::SourceText;
use anyhow::Context;
use std::fs;
use std::path::Path;

/// Retired type names, and better names for such types.
const RETIRED_TYPES: &[(&[&str], &str)] = &[
    (&["Witness", "Witnesses", "MakeWitness", "Onlooker", "Ear", "Ears"], "Observer, EventSink"),
    (&["Desk", "FrontDesk", "Scribe", "Gazette"], "an operation, a worker or a batch writer"),
    (&["Face", "Faces"], "ToolListing, ClientView"),
    (
        &["Offer", "Offers", "Stand", "Stage", "Ground", "Shown", "Narrowed", "Sight"],
        "View, Profile, Scope",
    ),
    (&["Beyond", "Far", "Near", "Door", "Delegate"], "RemoteGateway, Federation, authorize"),
    (&["Shelf", "Shelves"], "Namespace"),
    (&["Edition", "Imprint"], "Revision, Fingerprint"),
    (&["Kept", "Keeper", "Keeping", "Recent", "Known"], "BoundedCache, …Record"),
    (
        &["Asked", "Asker", "Asks", "Wish", "Wishes", "Wanted", "Said", "Told", "Say"],
        "…Request, …Params, …Input",
    ),
    (&["Problem", "Remark", "Flaw", "Doubt"], "Diagnostic"),
    (&["Trouble", "OnTrouble", "Fault", "Wrong", "Refusal", "Declined", "Objection"], "…Error"),
    (&["Held", "HeldTool", "HeldRow", "HeldView"], "Quarantined…, Pending…"),
    (&["Lesson", "Lessons", "LessonView", "Student", "Study"], "FeedbackRecord, Feedback"),
    (
        &["Turns", "Hub", "Seat", "Seats", "Ghost", "Ghosts"],
        "StartLimiter, ResponseRouter, RequestAttribution",
    ),
    (&["Place", "Spot", "Surroundings", "Ourselves"], "Workspace, Environment, Location"),
    (&["What", "Where", "Who", "Whose", "Why", "Yes", "No", "Me", "Once", "Only"], "a noun"),
    (
        &["Hope", "Fate", "Happening", "Promise", "Guest", "Guests", "Party", "Manner", "Loudness"],
        "a word of the trade",
    ),
];

/// Uses of `it` among 1,000 lines of product code.
const MOST_IT: usize = 5;

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut uses_of_it: Vec<(usize, String)> = Vec::new();
    let mut lines = 0;
    for path in files_of_crates(root)? {
        let name = shown(root, &path);
        if !name.ends_with(".rs") || is_for_tests(&name) {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
        let code = SourceText::of_rust(&text).code;
        findings.extend(
            faults(&code).into_iter().map(|(line, fault)| format!("{name}:{line}: {fault}")),
        );
        lines += text.lines().count();
        uses_of_it.push((words(&code).filter(|(_, word)| *word == "it").count(), name));
    }
    findings.extend(too_much_it(uses_of_it, lines));
    Ok(findings)
}

/// A finding if `it` is used more often than a few times in 1,000 lines, with the worst files.
pub(super) fn too_much_it(mut uses: Vec<(usize, String)>, lines: usize) -> Option<String> {
    let total: usize = uses.iter().map(|(count, _)| count).sum();
    let rate = (1000 * total).div_ceil(lines.max(1));
    uses.sort_by(|(one, _), (other, _)| other.cmp(one));
    let worst: Vec<String> =
        uses.iter().take(5).map(|(count, name)| format!("{name} ({count})")).collect();
    let worst = worst.join(", ");
    (rate > MOST_IT).then(|| {
        format!(
            "`it` {rate} times in 1,000 lines, at most {MOST_IT}: name closure parameters, \
             first in {worst}"
        )
    })
}

/// Bad names in a file, by line. Comments and literals must be blanked.
pub(super) fn faults(code: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let mut before = "";
    for (at, word) in words(code) {
        let line = || code[..at].matches('\n').count() + 1;
        match (before, word) {
            ("struct" | "enum" | "trait" | "type" | "union", name) => {
                if let Some(instead) = retired(name) {
                    faults
                        .push((line(), format!("`{name}` is a retired type name: use {instead}")));
                }
            }
            (_, "match") if is_match_on_bool(&code[at..]) => {
                faults.push((line(), "`match` on a bool: use `if` and `else`".to_owned()));
            }
            (_, "it") if starts_nested_closure(code, at) => {
                faults
                    .push((line(), "a closure of `it` in another: name the parameters".to_owned()));
            }
            _ => {}
        }
        before = word;
    }
    faults
}

fn retired(name: &str) -> Option<&'static str> {
    RETIRED_TYPES.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// Identifiers and keywords, with their position.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = code.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_part(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_part(bytes[at]) {
            at += 1;
        }
        (start < at).then(|| (start, &code[start..at]))
    })
}

/// Whether the first arm of the `match` that starts here is `true` or `false`.
fn is_match_on_bool(code: &str) -> bool {
    let Some((head, body)) = code.split_once('{') else { return false };
    let arm = body.trim_start();
    let arm = arm.strip_prefix("true").or_else(|| arm.strip_prefix("false"));
    !head.contains(';') && arm.is_some_and(|rest| rest.trim_start().starts_with("=>"))
}

/// Whether the `it` at this position is the parameter of a closure that contains another such
/// closure.
fn starts_nested_closure(code: &str, at: usize) -> bool {
    let is_parameter = code[..at].ends_with('|') && code[at..].starts_with("it|");
    if !is_parameter {
        return false;
    }
    let body = &code[at + "it|".len()..];
    let mut depth = 0_i32;
    for (end, byte) in body.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 || (depth == 0 && matches!(byte, b',' | b';')) {
            return body[..end].contains("|it|");
        }
    }
    false
}
