//! Text of one source about how to use a tool of another.

use super::phrases::excerpt;
use super::{Finding, FindingKind, Severity, ToolNameIndex};
use toolscout_core::ToolId;

/// Words that turn a mention into an order.
const ORDERS: [&str; 19] = [
    "always",
    "must",
    "never",
    "instead",
    "prefer",
    "only",
    "before",
    "bcc",
    "do not",
    "don't",
    "rather",
    "whenever",
    "confirm=false",
    "should",
    "first",
    "every",
    "all calls",
    "deprecated",
    "ignore",
];

/// Maximum number of mentions examined.
const MAX_MENTIONS: usize = 64;
/// Maximum length of a sentence to either side of a mention, in bytes; longer than people write.
const REACH: usize = 300;

/// A mention of another source's tool is a note; in a sentence that gives orders it is severe. Only
/// names that cannot be ordinary words count: `send_email`, not `search`.
pub(super) fn findings<'a>(
    text: &'a str,
    own: &'a ToolId,
    names: &'a ToolNameIndex,
) -> impl Iterator<Item = Finding> {
    let mentions =
        identifiers(text).filter(|(_, it)| names.is_of_others(it, &own.source)).take(MAX_MENTIONS);
    let found = mentions.map(|(at, name)| {
        let sentence = sentence(text, at).to_lowercase();
        let is_order = ORDERS.iter().any(|it| sentence.contains(it));
        let severity = if is_order { Severity::Severe } else { Severity::Note };
        Finding::new(FindingKind::Reference, severity, excerpt(text, at..at + name.len()))
    });
    found.max_by_key(|it| it.severity).into_iter()
}

/// Compound words and their positions.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const SHORTEST: usize = 6;
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let words =
        text.split(move |it| !is_part(it)).filter(|it| it.len() >= SHORTEST && is_compound(it));
    words.map(move |it| (it.as_ptr() as usize - text.as_ptr() as usize, it))
}

fn is_compound(word: &str) -> bool {
    let inner = &word[1..word.len() - 1];
    let camel = inner.bytes().any(|it| it.is_ascii_uppercase())
        && inner.bytes().any(|it| it.is_ascii_lowercase());
    camel || inner.contains('_') || inner.matches('-').count() > 1
}

fn sentence(text: &str, at: usize) -> &str {
    let from = text.floor_char_boundary(at.saturating_sub(REACH));
    let to = text.ceil_char_boundary((at + REACH).min(text.len()));
    let (before, after) = (&text[from..at], &text[at..to]);
    let start = before.rfind(". ").or_else(|| before.rfind('\n')).map_or(from, |it| from + it + 1);
    let end = after.find(". ").or_else(|| after.find('\n')).map_or(to, |it| at + it);
    &text[start..end]
}
