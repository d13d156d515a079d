//! Checks tool names: names that look alike, and names that no honest tool has.

use super::fold::{fold, is_unseen};
use super::{Finding, FindingKind, Severity, hidden};
use std::collections::HashMap;
use toolscout_core::{SourceId, ToolId};

/// The two meta tools through which agents reach all others.
const OURS: [&str; 2] = ["tool_search", "execute_tool"];
/// Words with a special meaning in places where a name is typed or looked up.
const TAKEN: [&str; 12] = [
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
const LONGEST: usize = 128;

/// The names of all known tools, in exact and in folded form.
#[derive(Debug, Default)]
pub struct ToolNameIndex {
    exact: HashMap<Box<str>, Vec<SourceId>>,
    looks: HashMap<String, Vec<ToolId>>,
}

impl ToolNameIndex {
    /// The names of these tools.
    pub fn of<'a>(tools: impl IntoIterator<Item = &'a ToolId>) -> Self {
        let mut names = Self::default();
        for id in tools {
            let name = id.name.as_str();
            names.exact.entry(name.into()).or_default().push(id.source.clone());
            names.looks.entry(look(name)).or_default().push(id.clone());
        }
        names
    }

    /// Whether only sources other than this one have a tool of exactly this name.
    pub(super) fn is_of_others(&self, name: &str, source: &SourceId) -> bool {
        OURS.contains(&name) || self.exact.get(name).is_some_and(|it| !it.contains(source))
    }

    fn alike(&self, id: &ToolId) -> impl Iterator<Item = &ToolId> {
        self.looks
            .get(&look(id.name.as_str()))
            .into_iter()
            .flatten()
            .filter(|it| it.name != id.name)
    }
}

/// All findings about a tool's name.
pub(super) fn findings(id: &ToolId, others: &ToolNameIndex) -> Vec<Finding> {
    let name = id.name.as_str();
    let found = |kind, severity| Finding::new(kind, severity, cut(name)).at("/name");
    let mut all: Vec<_> = hidden::findings(name)
        .into_iter()
        .map(|it| Finding { severity: Severity::Severe, ..it.at("/name") })
        .collect();
    if OURS.iter().any(|it| look(it) == look(name)) {
        all.push(found(FindingKind::OwnName, Severity::Severe));
    }
    all.extend(oddness(name).map(|severity| found(FindingKind::OddName, severity)));
    let alike =
        others.alike(id).map(|it| (alikeness(name, it), it)).max_by_key(|(severity, _)| *severity);
    match alike {
        Some((severity, other)) => {
            let excerpt = format!("{} looks like {}", cut(name), cut(&other.to_string()));
            all.push(Finding::new(FindingKind::LookAlike, severity, excerpt).at("/name"));
        }
        None if mixes_scripts(name) => all.push(found(FindingKind::LookAlike, Severity::Severe)),
        None => {}
    }
    all
}

fn cut(name: &str) -> String {
    let end = name.floor_char_boundary(LONGEST);
    if end < name.len() { format!("{}…", &name[..end]) } else { name.to_owned() }
}

/// The name as a hurried reader sees it: letters folded, separators removed, `1` and `I` read as
/// `l`, `0` as `o`.
fn look(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for it in name.chars() {
        match it {
            '_' | '-' | '.' | ' ' | '/' => {}
            'I' | '1' | '|' => out.push('l'),
            '0' => out.push('o'),
            it => fold(it, &mut out),
        }
    }
    out.retain(|it| !matches!(it, '-' | '_' | '/'));
    out
}

/// The name without case and separators, otherwise as written.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|it| !matches!(it, '_' | '-' | '.' | ' ' | '/'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The severity of a name that looks like another. Differences in case and separators are common
/// between honest servers. The imitation is the name whose letters are not what they look like.
fn alikeness(name: &str, other: &ToolId) -> Severity {
    let is_disguised = !name.is_ascii() || plain(name) != look(name);
    if is_disguised && plain(name) != plain(other.name.as_str()) {
        Severity::Severe
    } else {
        Severity::Note
    }
}

/// Whether the name mixes letters of scripts that look alike.
fn mixes_scripts(name: &str) -> bool {
    let is = |from: char, to: char| name.chars().any(|it| (from..=to).contains(&it));
    let has_latin =
        name.chars().any(|it| it.is_ascii_alphabetic() || matches!(it, '\u{00c0}'..='\u{024f}'));
    let others = [
        is('\u{0370}', '\u{03ff}'),
        is('\u{0400}', '\u{052f}'),
        is('\u{0530}', '\u{058f}'),
        is('\u{13a0}', '\u{13ff}'),
    ];
    let styled =
        is('\u{ff21}', '\u{ff5a}') || is('\u{1d400}', '\u{1d7ff}') || is('\u{24b6}', '\u{24e9}');
    usize::from(has_latin) + others.iter().filter(|it| **it).count() > 1 || (styled && has_latin)
}

/// The severity of a name that is not made of letters, digits and the usual separators.
fn oddness(name: &str) -> Option<Severity> {
    let is_path = name.starts_with(['/', '\\', '~'])
        || name.split(['/', '\\']).any(|it| it == ".." || it == ".");
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
    let is_taken = TAKEN.contains(&name.to_ascii_lowercase().as_str());
    let is_plain =
        |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.') || is_unseen(it);
    let is_odd = is_taken || name.len() > LONGEST || !name.chars().all(is_plain);
    is_odd.then_some(Severity::Note)
}
