//! Recognizes secrets by their form, independent of their names.

use std::ops::Range;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// Prefixes of a digest or a commit.
const VERSIONS: [&str; 5] = ["sha1:", "sha256:", "sha512:", "@", "#"];

/// The minimum length of a random text to count as a secret.
const LONG: usize = 32;
/// The minimum entropy of a random text, in bits per character: random hexadecimal digits have a
/// little under four.
const RANDOM: f64 = 3.3;

/// Characters that join words.
const SIGNS: [char; 5] = ['-', '_', '.', '=', '+'];

/// Ranges that look like tokens, of well-known services or of any. Text inside `${…}` is not a
/// secret.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    if let Some(start) = text.find("-----BEGIN ").filter(|_| text.contains("PRIVATE KEY-----")) {
        return std::iter::once(start..text.len()).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("${") {
            at += rest.find('}').map_or(rest.len(), |it| it + 1);
            continue;
        }
        let end = rest.find(|it| !is_token_character(it)).unwrap_or(rest.len());
        if end == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        // A run may start with a name and `=`, as in `key=abc`; padding at the end is not a
        // separator.
        let start = rest[..end].trim_end_matches('=').rfind('=').map_or(0, |it| it + 1);
        if is_token(&rest[start..end], &text[..at + start]) {
            found.push(at + start..at + end);
        }
        at += end;
    }
    found
}

/// The password of `scheme://user:password@host`, and the values of query keys that name a secret.
pub(super) fn in_address(text: &str) -> Vec<(Range<usize>, Option<&str>)> {
    let Some(host) = text.find("://").map(|it| it + 3) else { return Vec::new() };
    let end = text[host..].find(['/', '?', '#', ' ']).map_or(text.len(), |it| host + it);
    let mut found = Vec::new();
    if let Some(user_end) = text[host..end].rfind('@').map(|it| host + it)
        && let Some(password) = text[host..user_end].find(':').map(|it| host + it + 1)
        && password < user_end
        && !text[password..user_end].contains("${")
    {
        found.push((password..user_end, None));
    }
    let Some(mut at) = text[end..].find('?').map(|it| end + it + 1) else { return found };
    for pair in text[at..].split('&') {
        if let Some((key, value)) = pair.split_once('=') {
            let (start, value) = (at + key.len() + 1, value.split('#').next().unwrap_or(value));
            let is_key = names_a_secret(key) || key == "key";
            if is_key && !value.is_empty() && !value.contains("${") {
                found.push((start..start + value.len(), Some(key)));
            }
        }
        at += pair.len() + 1;
    }
    found
}

fn is_token_character(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '=' | '+')
}

fn is_token(text: &str, before: &str) -> bool {
    // A digest or a commit is long and random, but it only identifies a version.
    let is_hexadecimal = text.bytes().all(|it| it.is_ascii_hexdigit());
    let is_version = (is_hexadecimal && VERSIONS.iter().any(|it| before.ends_with(it)))
        || ["sha256-", "sha512-"].iter().any(|it| text.starts_with(it));
    redact::text(text).starts_with(REDACTED) || (!is_version && !is_uuid(text) && is_random(text))
}

fn is_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    // Words joined by such characters are names: of hosts, packages, images, files.
    let longest = text.split(SIGNS).map(str::len).max().unwrap_or(0);
    text.len() >= LONG && longest >= 16 && digits >= 3 && letters >= 3 && bits(text) >= RANDOM
}

/// A UUID identifies a thing; it does not grant access.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let fits = parts.iter().map(|it| it.len()).eq([8, 4, 4, 4, 12]);
    fits && parts.iter().all(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// The Shannon entropy, in bits per character.
fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for it in text.bytes().filter(u8::is_ascii) {
        counts[usize::from(it)] += 1;
    }
    let length = text.len() as f64;
    let share = |it: &u32| f64::from(*it) / length;
    counts.iter().filter(|it| **it > 0).map(|it| -share(it) * share(it).log2()).sum()
}
