//! Recognizes secrets by their form, independent of their names.

use std::ops::Range;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// Prefixes of a digest or a commit.
const VERSION_PREFIXES: [&str; 5] = ["sha1:", "sha256:", "sha512:", "@", "#"];

/// The minimum length of a random text to count as a secret.
const MIN_RANDOM_LENGTH: usize = 32;
/// The minimum entropy of a random text, in bits per character: random hexadecimal digits have a
/// little under four.
const MIN_ENTROPY: f64 = 3.3;

/// Characters that join words.
const SEPARATORS: [char; 5] = ['-', '_', '.', '=', '+'];

/// Ranges that look like tokens, of well-known services or of any. Text inside `${…}` is not a
/// secret.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    if let Some(start) = text.find("-----BEGIN ").filter(|_| text.contains("PRIVATE KEY-----")) {
        return std::iter::once(start..text.len()).collect();
    }
    let mut found = Vec::new();
    let mut offset = 0;
    while offset < text.len() {
        let rest = &text[offset..];
        if rest.starts_with("${") {
            offset += rest.find('}').map_or(rest.len(), |index| index + 1);
            continue;
        }
        let end = rest.find(|character| !is_token_character(character)).unwrap_or(rest.len());
        if end == 0 {
            offset += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        // A run may start with a name and `=`, as in `key=abc`; padding at the end is not a
        // separator.
        let start = rest[..end].trim_end_matches('=').rfind('=').map_or(0, |index| index + 1);
        if is_token(&rest[start..end], &text[..offset + start]) {
            found.push(offset + start..offset + end);
        }
        offset += end;
    }
    found
}

/// The password of `scheme://user:password@host`, and the values of query keys that name a secret.
pub(super) fn in_url(text: &str) -> Vec<(Range<usize>, Option<&str>)> {
    let Some(host) = text.find("://").map(|index| index + 3) else { return Vec::new() };
    let end = text[host..].find(['/', '?', '#', ' ']).map_or(text.len(), |index| host + index);
    let mut found = Vec::new();
    if let Some(user_end) = text[host..end].rfind('@').map(|index| host + index)
        && let Some(password) = text[host..user_end].find(':').map(|index| host + index + 1)
        && password < user_end
        && !text[password..user_end].contains("${")
    {
        found.push((password..user_end, None));
    }
    let Some(mut offset) = text[end..].find('?').map(|index| end + index + 1) else { return found };
    for pair in text[offset..].split('&') {
        if let Some((key, value)) = pair.split_once('=') {
            let (start, value) = (offset + key.len() + 1, value.split('#').next().unwrap_or(value));
            let is_key = names_a_secret(key) || key == "key";
            if is_key && !value.is_empty() && !value.contains("${") {
                found.push((start..start + value.len(), Some(key)));
            }
        }
        offset += pair.len() + 1;
    }
    found
}

fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | '+')
}

fn is_token(text: &str, before: &str) -> bool {
    // A digest or a commit is long and random, but it only identifies a version.
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_version = (is_hexadecimal
        && VERSION_PREFIXES.iter().any(|version| before.ends_with(version)))
        || ["sha256-", "sha512-"].iter().any(|prefix| text.starts_with(prefix));
    redact::text(text).starts_with(REDACTED) || (!is_version && !is_uuid(text) && is_random(text))
}

fn is_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    // Words joined by such characters are names: of hosts, packages, images, files.
    let longest = text.split(SEPARATORS).map(str::len).max().unwrap_or(0);
    text.len() >= MIN_RANDOM_LENGTH
        && longest >= 16
        && digits >= 3
        && letters >= 3
        && entropy(text) >= MIN_ENTROPY
}

/// A UUID identifies a thing; it does not grant access.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let fits = parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]);
    fits && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The Shannon entropy, in bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for byte in text.bytes().filter(u8::is_ascii) {
        counts[usize::from(byte)] += 1;
    }
    let length = text.len() as f64;
    let probability = |number: &u32| f64::from(*number) / length;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| -probability(count) * probability(count).log2())
        .sum()
}
