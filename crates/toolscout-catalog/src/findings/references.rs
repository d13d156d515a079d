//! Text of one source about how to use a tool of another.

use super::phrases::excerpt;
use super::{Finding, FindingKind, Severity, ToolNameIndex};
use toolscout_core::ToolId;

/// Words that turn a mention into an order.
const DIRECTIVES: [&str; 24] = [
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
    "each ",
    "run it",
    "has to",
    "have to",
    "are to ",
];

/// Maximum number of mentions examined.
const MAX_MENTIONS: usize = 64;
/// Maximum length of a sentence to either side of a mention, in bytes; longer than people write.
const CONTEXT_BYTES: usize = 300;

/// A mention of another source's tool is a note; in a sentence that gives orders it is severe. Only
/// names that cannot be ordinary words count: `send_email`, not `search`.
pub(super) fn findings<'a>(
    text: &'a str,
    own: &'a ToolId,
    names: &'a ToolNameIndex,
) -> impl Iterator<Item = Finding> {
    let mentions = identifiers(text)
        .filter(|(_, name)| names.belongs_to_others(name, &own.source))
        .take(MAX_MENTIONS);
    let found = mentions.map(|(at, name)| {
        let sentence = sentence(text, at).to_lowercase();
        let is_directive = DIRECTIVES.iter().any(|directive| sentence.contains(directive));
        let severity = if is_directive { Severity::Severe } else { Severity::Note };
        Finding::new(FindingKind::Reference, severity, excerpt(text, at..at + name.len()))
    });
    found.max_by_key(|item| item.severity).into_iter()
}

/// Compound words and their positions.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const MIN_BYTES: usize = 6;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let words = text
        .split(move |c| !is_part(c))
        .filter(|part| part.len() >= MIN_BYTES && is_compound(part));
    words.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn is_compound(word: &str) -> bool {
    let inner = &word[1..word.len() - 1];
    let is_camel_case = inner.bytes().any(|byte| byte.is_ascii_uppercase())
        && inner.bytes().any(|byte| byte.is_ascii_lowercase());
    is_camel_case || inner.contains('_') || inner.matches('-').count() > 1
}

fn sentence(text: &str, at: usize) -> &str {
    let from = text.floor_char_boundary(at.saturating_sub(CONTEXT_BYTES));
    let to = text.ceil_char_boundary((at + CONTEXT_BYTES).min(text.len()));
    let (before, after) = (&text[from..at], &text[at..to]);
    let start =
        before.rfind(". ").or_else(|| before.rfind('\n')).map_or(from, |index| from + index + 1);
    let end = after.find(". ").or_else(|| after.find('\n')).map_or(to, |index| at + index);
    &text[start..end]
}
