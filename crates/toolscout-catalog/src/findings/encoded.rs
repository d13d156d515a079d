//! Text that is encoded to be unreadable for people but readable for models.

use super::phrases::{PhraseMatches, excerpt};
use super::words::WordSequence;
use super::{Finding, FindingKind, Severity};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter runs are too short for a hidden message.
const SHORTEST: usize = 24;

/// Runs of base64 or hexadecimal digits that decode to readable text, and text that is rotated by
/// 13 letters or reversed: severe if the decoded text contains suspicious phrases.
pub(super) fn findings(text: &str) -> impl Iterator<Item = Finding> {
    let is_part =
        |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '=' | '-' | '_');
    let runs = text.split(move |it| !is_part(it)).filter(|it| it.len() >= SHORTEST);
    let found = runs.filter_map(|run| {
        let plain = decoded(run)?;
        let said = PhraseMatches::of(&plain, &WordSequence::of(&plain), false);
        let severity = if said.weight() >= 3 { Severity::Severe } else { Severity::Note };
        Some(Finding::new(FindingKind::Encoded, severity, excerpt(&plain, 0..plain.len().min(80))))
    });
    found.max_by_key(|it| it.severity).into_iter()
}

fn decoded(run: &str) -> Option<String> {
    hexadecimal(run)
        .or_else(|| sixty_four(run))
        .and_then(|it| String::from_utf8(it).ok())
        .filter(|it| is_prose(it))
}

fn hexadecimal(run: &str) -> Option<Vec<u8>> {
    if !run.len().is_multiple_of(2) || !run.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    (0..run.len()).step_by(2).map(|at| u8::from_str_radix(&run[at..at + 2], 16).ok()).collect()
}

fn sixty_four(run: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let is_for_urls = run.contains(['-', '_']);
    let alphabet = if is_for_urls { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    GeneralPurpose::new(alphabet, config).decode(run.trim_end_matches('=')).ok()
}

/// Several words of printable characters, which random bytes practically never are.
fn is_prose(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c.is_whitespace())
        && text.split_whitespace().count() >= 3
        && text.chars().filter(|it| it.is_alphabetic()).count() * 3 > text.chars().count() * 2
}
