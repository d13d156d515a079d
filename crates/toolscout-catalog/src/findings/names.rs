//! Checks tool names: names that look alike, and names that no honest tool has.

use super::fold::{fold, is_invisible};
use super::{Finding, FindingKind, Severity, hidden};
use std::collections::HashMap;
use toolscout_core::{SourceId, ToolId};

/// The two meta tools through which agents reach all others.
const META_TOOLS: [&str; 2] = ["tool_search", "execute_tool"];
/// Words with a special meaning in places where a name is typed or looked up.
const RESERVED_NAMES: [&str; 12] = [
    "__proto__",
    "constructor",
    "prototype",
    "con",
    "nul",
    "prn",
    "aux",
    "toolscout",
    "approve",
    "trust",
    "review",
    "tools/list",
];
/// Clients drop longer names.
const MAX_NAME_BYTES: usize = 128;

/// The names of all known tools, in exact and in folded form.
#[derive(Debug, Default)]
pub struct ToolNameIndex {
    exact: HashMap<Box<str>, Vec<SourceId>>,
    by_skeleton: HashMap<String, Vec<ToolId>>,
}

impl ToolNameIndex {
    /// The names of these tools.
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a ToolId>) -> Self {
        let mut names = Self::default();
        for id in tools {
            let name = id.name.as_str();
            names.exact.entry(name.into()).or_default().push(id.source.clone());
            names.by_skeleton.entry(skeleton(name)).or_default().push(id.clone());
        }
        names
    }

    /// Whether only sources other than this one have a tool of exactly this name.
    pub(super) fn belongs_to_others(&self, name: &str, source: &SourceId) -> bool {
        META_TOOLS.contains(&name)
            || self.exact.get(name).is_some_and(|exact| !exact.contains(source))
    }

    fn confusable_with(&self, id: &ToolId) -> impl Iterator<Item = &ToolId> {
        self.by_skeleton
            .get(&skeleton(id.name.as_str()))
            .into_iter()
            .flatten()
            .filter(|other| other.name != id.name)
    }
}

/// All findings about a tool's name.
pub(super) fn findings(id: &ToolId, others: &ToolNameIndex) -> Vec<Finding> {
    let name = id.name.as_str();
    let found =
        |kind, severity| Finding::new(kind, severity, truncated(name)).with_pointer("/name");
    let mut all: Vec<_> = hidden::findings(name)
        .into_iter()
        .map(|finding| Finding { severity: Severity::Severe, ..finding.with_pointer("/name") })
        .collect();
    if META_TOOLS.iter().any(|meta_tool| skeleton(meta_tool) == skeleton(name)) {
        all.push(found(FindingKind::OwnName, Severity::Severe));
    }
    all.extend(name_severity(name).map(|severity| found(FindingKind::OddName, severity)));
    let confusable = others
        .confusable_with(id)
        .map(|other| (confusable_severity(name, other), other))
        .max_by_key(|(severity, _)| *severity);
    match confusable {
        Some((severity, other)) => {
            let excerpt =
                format!("{} looks like {}", truncated(name), truncated(&other.to_string()));
            all.push(Finding::new(FindingKind::LookAlike, severity, excerpt).with_pointer("/name"));
        }
        None if mixes_scripts(name) => all.push(found(FindingKind::LookAlike, Severity::Severe)),
        None => {}
    }
    all
}

fn truncated(name: &str) -> String {
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    if end < name.len() { format!("{}…", &name[..end]) } else { name.to_owned() }
}

/// The name as a hurried reader sees it: letters folded, separators removed, `1` and `I` read as
/// `l`, `0` as `o`.
fn skeleton(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '_' | '-' | '.' | ' ' | '/' => {}
            'I' | '1' | '|' => out.push('l'),
            '0' => out.push('o'),
            value => fold(value, &mut out),
        }
    }
    out.retain(|item| !matches!(item, '-' | '_' | '/'));
    out
}

/// The name without case and separators, otherwise as written.
fn normalized(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' ' | '/'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The severity of a name that looks like another. Differences in case and separators are common
/// between honest servers. The imitation is the name whose letters are not what they look like.
fn confusable_severity(name: &str, other: &ToolId) -> Severity {
    let is_disguised = !name.is_ascii() || normalized(name) != skeleton(name);
    if is_disguised && normalized(name) != normalized(other.name.as_str()) {
        Severity::Severe
    } else {
        Severity::Note
    }
}

/// Whether the name mixes letters of scripts that look alike.
fn mixes_scripts(name: &str) -> bool {
    let has_char_in = |from: char, to: char| name.chars().any(|c| (from..=to).contains(&c));
    let has_latin =
        name.chars().any(|c| c.is_ascii_alphabetic() || matches!(c, '\u{00c0}'..='\u{024f}'));
    let others = [
        has_char_in('\u{0370}', '\u{03ff}'),
        has_char_in('\u{0400}', '\u{052f}'),
        has_char_in('\u{0530}', '\u{058f}'),
        has_char_in('\u{13a0}', '\u{13ff}'),
    ];
    let has_styled_letters = has_char_in('\u{ff21}', '\u{ff5a}')
        || has_char_in('\u{1d400}', '\u{1d7ff}')
        || has_char_in('\u{24b6}', '\u{24e9}');
    usize::from(has_latin) + others.iter().filter(|item| **item).count() > 1
        || (has_styled_letters && has_latin)
}

/// The severity of a name that is not made of letters, digits and the usual separators.
fn name_severity(name: &str) -> Option<Severity> {
    let is_path = name.starts_with(['/', '\\', '~'])
        || name.split(['/', '\\']).any(|part| part == ".." || part == ".");
    let is_drive = name.as_bytes().get(1) == Some(&b':') && name.contains('\\');
    let is_encoded = name.contains("%2e")
        || name.contains("%2f")
        || name.contains("%2E")
        || name.contains("%2F");
    let is_shell = name
        .contains(['$', '`', ';', '|', '<', '>', '"', '\'', '{', '}', '\\', '\n', '\t'])
        || name.contains("&&");
    let is_option = name.starts_with('-');
    if is_path || is_drive || is_encoded || is_shell || is_option {
        return Some(Severity::Severe);
    }
    let is_reserved = RESERVED_NAMES.contains(&name.to_ascii_lowercase().as_str());
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || is_invisible(c);
    let is_odd = is_reserved || name.len() > MAX_NAME_BYTES || !name.chars().all(is_plain);
    is_odd.then_some(Severity::Note)
}
