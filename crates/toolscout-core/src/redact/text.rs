//! Finds secrets in text of third parties: error messages, output of servers.
//!
//! One pass from left to right, word by word. A word is redacted for its shape (`ghp_…`,
//! `eyJ….….…`), for the text before it (`Bearer …`, `password=…`), or for its position
//! (`https://user:word@host`). Text that only mentions tokens and passwords stays readable: if a
//! word may be either prose or a secret, digits, length and mixed case decide.

mod shape;

#[cfg(test)]
mod tests;

use super::{REDACTED, names_a_secret};
use shape::{is_reference, is_token, looks_random};

/// A copy for logs and messages: redacts text with the shape or the name of a secret, and every
/// known secret.
pub fn text(text: &str) -> String {
    let text = &*super::values(text);
    let mut copy = RedactedCopy { text, copied: 0, out: String::with_capacity(text.len()) };
    let mut at = 0;
    while let Some(start) = find(text, at, is_word) {
        let word = &text[start..end_of(text, start, is_word)];
        at = copy.past(start, word);
    }
    copy.finish()
}

struct RedactedCopy<'a> {
    text: &'a str,
    /// The text up to here was copied or replaced.
    copied: usize,
    out: String,
}

impl<'a> RedactedCopy<'a> {
    /// Redacts the secret that this word is or announces; returns where to continue.
    fn past(&mut self, start: usize, word: &'a str) -> usize {
        let end = start + word.len();
        let bare = word.trim_matches(['-', '.']);
        let hidden = if is_token(bare) {
            let start = start + word.len() - word.trim_start_matches(['-', '.']).len();
            Some((start, start + bare.len()))
        } else if word.starts_with("-----BEGIN") {
            self.key_block(start, end)
        } else if is_scheme(bare) {
            self.credentials(end).filter(|(start, end)| is_long(&self.text[*start..*end]))
        } else if names_a_secret(bare) {
            self.value(word, end)
        } else {
            self.user(end)
        };
        match hidden {
            None => end,
            Some((start, end)) => self.hide(start, end),
        }
    }

    fn hide(&mut self, start: usize, end: usize) -> usize {
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(REDACTED);
        self.copied = end;
        end
    }

    fn finish(mut self) -> String {
        self.out.push_str(&self.text[self.copied..]);
        self.out
    }

    /// A private key with all its lines.
    fn key_block(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        // `OPENSSH PRIVATE KEY-----` and similar; the limit is longer than any such line.
        let mut line = self.text.as_bytes()[end..].iter().take(64);
        let line = end + line.position(|it| !it.is_ascii_uppercase() && *it != b' ')?;
        (self.text[end..line].ends_with("PRIVATE KEY") && self.text[line..].starts_with("-----"))
            .then_some(())?;
        let after = self.text[end..].find("-----END").map_or(self.text.len(), |it| end + it);
        let close = self.text[after..].find('\n').map_or(self.text.len(), |it| after + it);
        Some((start, close))
    }

    /// The credentials after the name of an authentication scheme.
    fn credentials(&self, at: usize) -> Option<(usize, usize)> {
        let start = past_blanks(self.text, at);
        let end = end_of(self.text, start, is_credential);
        (start > at && end > start).then_some((start, end))
    }

    /// The value after a name, as in `name=value`, `name: value`, `"name": "value"`, `--name
    /// value`.
    fn value(&self, name: &str, end: usize) -> Option<(usize, usize)> {
        let text = self.text;
        let after_name = past_quote(text, end).unwrap_or(end);
        let separator = past_blanks(text, after_name);
        match text.as_bytes().get(separator) {
            Some(b'=' | b':') if !text[separator..].starts_with("://") => {
                let start = past_blanks(text, separator + 1);
                let is_apart = start > separator + 1;
                self.given(name, start, is_apart)
            }
            _ if name.starts_with("--") && separator > end => self.given(name, separator, true),
            _ => None,
        }
    }

    /// The value that begins here. If a blank precedes it, it may be the rest of a sentence
    /// instead.
    fn given(&self, name: &str, start: usize, is_apart: bool) -> Option<(usize, usize)> {
        let text = self.text;
        if text[start..].starts_with(REDACTED) {
            return None;
        }
        if let Some(inside) = past_quote(text, start) {
            return Some((inside, end_of_quoted(text, start, inside)))
                .filter(|it| is_secret(name, &text[it.0..it.1]));
        }
        let end = end_of(text, start, is_value);
        let value = &text[start..end];
        if is_scheme(value) {
            return self.credentials(end);
        }
        if is_cookie(name) && value.contains('=') {
            return Some((
                start,
                text[start..].find(['\r', '\n']).map_or(text.len(), |it| start + it),
            ));
        }
        let is_meant = !is_apart || (value.len() >= 4 && looks_random(value));
        (is_meant && is_secret(name, value)).then_some((start, end))
    }

    /// The user information (name and password) of a URL.
    fn user(&self, end: usize) -> Option<(usize, usize)> {
        let start = end + self.text[end..].starts_with("://").then_some(3)?;
        let host =
            end_of(self.text, start, |it| !matches!(it, b'/' | b'?' | b'#') && is_printing(it));
        let at = self.text[start..host].rfind('@')?;
        (at > 0).then_some((start, start + at))
    }
}

/// Whether to redact this value, given that its name denotes a secret.
fn is_secret(name: &str, value: &str) -> bool {
    let is_count = name.to_ascii_lowercase().ends_with("tokens")
        && value.bytes().all(|it| it.is_ascii_digit());
    !value.is_empty() && !is_count && !is_reference(value) && value != REDACTED
}

fn is_cookie(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("cookie")
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "digest", "dpop"].iter().any(|it| word.eq_ignore_ascii_case(it))
}

fn is_long(credentials: &str) -> bool {
    credentials.len() >= 8 && looks_random(credentials)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_credential(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'~' | b'+' | b'/' | b'=')
}

fn is_printing(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>')
}

fn is_value(byte: u8) -> bool {
    is_printing(byte) && !matches!(byte, b',' | b';' | b'&' | b')' | b']')
}

fn find(text: &str, at: usize, wanted: fn(u8) -> bool) -> Option<usize> {
    text.as_bytes()[at..].iter().position(|it| wanted(*it)).map(|it| at + it)
}

/// The end of the run of wanted bytes that begins here. A predicate treats all bytes beyond ASCII
/// alike, so that no character is split.
fn end_of(text: &str, start: usize, wanted: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[start..].iter().position(|it| !wanted(*it)).map_or(text.len(), |it| start + it)
}

fn past_blanks(text: &str, at: usize) -> usize {
    end_of(text, at, |it| it == b' ' || it == b'\t')
}

/// The position after a quotation mark, which may itself be escaped.
fn past_quote(text: &str, at: usize) -> Option<usize> {
    let mark = end_of(text, at, |it| it == b'\\');
    matches!(text.as_bytes().get(mark), Some(b'"' | b'\'')).then_some(mark + 1)
}

/// The end of a quoted value: before the same mark with at most as many escapes as the first one;
/// otherwise at the end of the line.
fn end_of_quoted(text: &str, open: usize, inside: usize) -> usize {
    let (mark, depth) = (text.as_bytes()[inside - 1], inside - 1 - open);
    let mut slashes = 0;
    for (at, byte) in text.bytes().enumerate().skip(inside) {
        match byte {
            b'\\' => slashes += 1,
            b'\n' => return at,
            it if it == mark && slashes <= depth => return at - slashes,
            _ => slashes = 0,
        }
    }
    text.len()
}
