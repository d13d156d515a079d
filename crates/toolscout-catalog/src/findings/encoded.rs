//! Text that is encoded to be unreadable for people but readable for models.

use super::fields::TextPlace;
use super::phrases::{PhraseMatches, excerpt};
use super::words::WordSequence;
use super::{Finding, FindingKind, Severity};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter runs are too short for a hidden message.
const MIN_RUN_BYTES: usize = 24;
/// Minimum weight of a decoded text that makes it severe; less than of a readable one, since
/// its author took care that people do not read it.
const SEVERE_WEIGHT: u32 = 6;

/// Runs of base64 or hexadecimal digits that decode to readable text, and text that is rotated by
/// 13 letters or reversed: severe if the decoded text contains suspicious phrases.
pub(super) fn findings(text: &str) -> impl Iterator<Item = Finding> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let runs = text.split(move |c| !is_part(c)).filter(|part| part.len() >= MIN_RUN_BYTES);
    let runs = runs.filter_map(decode).chain(decode_spaced_hex(text)).map(|plain| {
        let severity = severity(&plain).unwrap_or(Severity::Note);
        finding(&plain, severity)
    });
    let whole = rotated(text).into_iter().chain(reversed(text));
    let whole = whole.filter_map(|plain| Some(finding(&plain, severity(&plain)?)));
    runs.chain(whole).max_by_key(|finding| finding.severity).into_iter()
}

fn finding(plain: &str, severity: Severity) -> Finding {
    Finding::new(FindingKind::Encoded, severity, excerpt(plain, 0..plain.len().min(80)))
}

fn severity(plain: &str) -> Option<Severity> {
    let matches = PhraseMatches::find(plain, &WordSequence::split(plain), TextPlace::Prose);
    (matches.weight() >= SEVERE_WEIGHT).then_some(Severity::Severe)
}

fn decode(run: &str) -> Option<String> {
    decode_hex(run)
        .or_else(|| decode_base64(run))
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .filter(|text| is_prose(text))
}

fn decode_hex(run: &str) -> Option<Vec<u8>> {
    if !run.len().is_multiple_of(2) || !run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..run.len()).step_by(2).map(|at| u8::from_str_radix(&run[at..at + 2], 16).ok()).collect()
}

/// All bytes that are written one by one, such as `49 67`, `0x49,0x67` or `49:67`.
fn decode_spaced_hex(text: &str) -> Option<String> {
    let parts = text.split([' ', ',', ':', '\n', '-', ';']).filter(|part| !part.is_empty());
    let byte = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok())?
    };
    let bytes: Vec<u8> = parts.filter_map(byte).collect();
    let text = (bytes.len() * 2 >= MIN_RUN_BYTES).then(|| String::from_utf8(bytes).ok())??;
    is_prose(&text).then_some(text)
}

fn decode_base64(run: &str) -> Option<Vec<u8>> {
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
        && text.chars().filter(|c| c.is_alphabetic()).count() * 3 > text.chars().count() * 2
}

/// The text rotated by 13 letters, if it has common English words that way.
fn rotated(text: &str) -> Option<String> {
    const COMMON: [&str; 8] = ["gur", "naq", "lbh", "nyy", "sebz", "jvgu", "abg", "hfre"];
    let rotate = |c: char| match c {
        'a'..='m' | 'A'..='M' => (c as u8 + 13) as char,
        'n'..='z' | 'N'..='Z' => (c as u8 - 13) as char,
        other => other,
    };
    has_any(text, &COMMON).then(|| text.chars().map(rotate).collect())
}

/// The text from its end, if it has common English words that way.
fn reversed(text: &str) -> Option<String> {
    const COMMON: [&str; 7] = ["eht", "dna", "uoy", "lla", "morf", "htiw", "resu"];
    has_any(text, &COMMON).then(|| text.chars().rev().collect())
}

fn has_any(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| words.iter().any(|common| word.eq_ignore_ascii_case(common)))
}
