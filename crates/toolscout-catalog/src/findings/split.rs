//! Instructions that are split over several fields or property names, each harmless alone.

use super::fields::{DefinitionText, DefinitionTexts, TextPlace};
use super::phrases::PhraseMatches;
use super::words::WordSequence;
use super::{Finding, Severity};

/// Maximum number of parts that are read as one text.
const MAX_PARTS: usize = 12;
/// Longer texts are no fragments.
const MAX_PART_BYTES: usize = 200;

/// Severe findings over consecutive fields that continue each other.
pub(super) fn findings(fields: &DefinitionTexts<'_>) -> Vec<Finding> {
    let is_fragment = |text: &&DefinitionText<'_>| {
        text.place != TextPlace::Key && text.text.len() <= MAX_PART_BYTES && text.text.contains(' ')
    };
    let texts: Vec<_> = fields.texts.iter().filter(is_fragment).collect();
    let names: Vec<_> = fields.texts.iter().filter(|text| fields.is_property(text)).collect();
    let of_texts = texts.chunk_by(|one, other| is_continued(one.text, other.text));
    let of_names = names.chunk_by(|one, other| {
        fields.are_siblings(one, other) && is_compound(one.text) && is_compound(other.text)
    });
    let groups = of_texts.chain(of_names).flat_map(|group| group.chunks(MAX_PARTS));
    groups
        .filter(|group| group.len() > 1)
        .flat_map(|group| finding(group).map(|found| found.with_pointer(&fields.pointer(group[0]))))
        .collect()
}

fn finding(group: &[&DefinitionText<'_>]) -> Option<Finding> {
    let (mut text, mut bounds) = (String::new(), Vec::new());
    for part in group {
        text.push_str(part_number(part.text).map_or(part.text, |(_, rest)| rest).trim());
        text.push(' ');
        bounds.push(text.len());
    }
    let words = WordSequence::split(&text);
    let found = PhraseMatches::find_across(&text, &words, &bounds).findings();
    found.filter(|finding| finding.severity == Severity::Severe).take(1).next()
}

/// Whether the second text goes on where the first one stops: within a sentence, or as the next of
/// numbered parts.
fn is_continued(one: &str, other: &str) -> bool {
    let is_open = !one.trim_end().ends_with(['.', '!', '?', ')', ']']);
    let is_next = part_number(other).is_some_and(|(number, _)| number > 1);
    is_next || (is_open && other.trim_start().starts_with(|c: char| c.is_lowercase()))
}

fn is_compound(name: &str) -> bool {
    name.contains(['_', '-', ' ']) && name.len() <= MAX_PART_BYTES
}

/// The number at the beginning of `(2/3) …`, `2/3: …` or `Part two: …`, and the rest.
fn part_number(text: &str) -> Option<(usize, &str)> {
    const WORDS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
    let text = text.trim_start().trim_start_matches(['(', '[']);
    if let Some((number, rest)) = text.split_once('/') {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        return Some((number.parse().ok()?, rest.trim_start_matches([')', ']', ':', '.'])));
    }
    let (head, rest) = text.split_once(':')?;
    let mut head = head.split_whitespace();
    let kind = head.next()?.to_ascii_lowercase();
    let number = head.next()?.to_ascii_lowercase();
    let number =
        number.parse().ok().or(WORDS.iter().position(|word| *word == number).map(|at| at + 1));
    (["part", "step"].contains(&kind.as_str()) && head.next().is_none()).then_some((number?, rest))
}
