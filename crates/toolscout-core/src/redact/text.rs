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
    let text = &*super::known_secrets(text);
    let mut copy = RedactedCopy { text, copied: 0, out: String::with_capacity(text.len()) };
    let mut at = 0;
    while let Some(start) = find(text, at, is_word) {
        let word = &text[start..end_of_run(text, start, is_word)];
        at = copy.redact_word(start, word);
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
    fn redact_word(&mut self, start: usize, word: &'a str) -> usize {
        let end = start + word.len();
        let bare = word.trim_matches(['-', '.']);
        let secret = if is_token(bare) {
            let start = start + word.len() - word.trim_start_matches(['-', '.']).len();
            Some((start, start + bare.len()))
        } else if word.starts_with("-----BEGIN") {
            self.key_block(start, end)
        } else if is_scheme(bare) {
            self.credentials(end).filter(|(start, end)| is_long(&self.text[*start..*end]))
        } else if names_a_secret(bare) {
            self.named_value(word, end)
        } else {
            self.url_user_info(end)
        };
        match secret {
            None => end,
            Some((start, end)) => self.redact(start, end),
        }
    }

    fn redact(&mut self, start: usize, end: usize) -> usize {
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
        let line = end + line.position(|byte| !byte.is_ascii_uppercase() && *byte != b' ')?;
        (self.text[end..line].ends_with("PRIVATE KEY") && self.text[line..].starts_with("-----"))
            .then_some(())?;
        let after = self.text[end..].find("-----END").map_or(self.text.len(), |index| end + index);
        let close = self.text[after..].find('\n').map_or(self.text.len(), |index| after + index);
        Some((start, close))
    }

    /// The credentials after the name of an authentication scheme.
    fn credentials(&self, at: usize) -> Option<(usize, usize)> {
        let start = skip_blanks(self.text, at);
        let end = end_of_run(self.text, start, is_credential);
        (start > at && end > start).then_some((start, end))
    }

    /// The value after a name, as in `name=value`, `name: value`, `"name": "value"`, `--name
    /// value`.
    fn named_value(&self, name: &str, end: usize) -> Option<(usize, usize)> {
        let text = self.text;
        let after_name = skip_quote(text, end).unwrap_or(end);
        let separator = skip_blanks(text, after_name);
        match text.as_bytes().get(separator) {
            Some(b'=' | b':') if !text[separator..].starts_with("://") => {
                let start = skip_blanks(text, separator + 1);
                let has_blank = start > separator + 1;
                self.value_at(name, start, has_blank)
            }
            _ if name.starts_with("--") && separator > end => self.value_at(name, separator, true),
            _ => None,
        }
    }

    /// The value that begins here. If a blank precedes it, it may be the rest of a sentence
    /// instead.
    fn value_at(&self, name: &str, start: usize, has_blank: bool) -> Option<(usize, usize)> {
        let text = self.text;
        if text[start..].starts_with(REDACTED) {
            return None;
        }
        if let Some(content_start) = skip_quote(text, start) {
            return Some((content_start, end_of_quoted(text, start, content_start)))
                .filter(|(start, end)| is_secret(name, &text[*start..*end]));
        }
        let end = end_of_run(text, start, is_value);
        let value = &text[start..end];
        if is_scheme(value) {
            return self.credentials(end);
        }
        if is_cookie(name) && value.contains('=') {
            return Some((
                start,
                text[start..].find(['\r', '\n']).map_or(text.len(), |index| start + index),
            ));
        }
        let is_likely = !has_blank || (value.len() >= 4 && looks_random(value));
        (is_likely && is_secret(name, value)).then_some((start, end))
    }

    /// The user information (name and password) of a URL.
    fn url_user_info(&self, end: usize) -> Option<(usize, usize)> {
        let start = end + self.text[end..].starts_with("://").then_some(3)?;
        let host = end_of_run(self.text, start, |byte| {
            !matches!(byte, b'/' | b'?' | b'#') && is_printing(byte)
        });
        let at = self.text[start..host].rfind('@')?;
        (at > 0).then_some((start, start + at))
    }
}

/// Whether to redact this value, given that its name denotes a secret.
fn is_secret(name: &str, value: &str) -> bool {
    let is_count = name.to_ascii_lowercase().ends_with("tokens")
        && value.bytes().all(|byte| byte.is_ascii_digit());
    !value.is_empty() && !is_count && !is_reference(value) && value != REDACTED
}

fn is_cookie(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("cookie")
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "digest", "dpop"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
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

fn find(text: &str, at: usize, predicate: fn(u8) -> bool) -> Option<usize> {
    text.as_bytes()[at..].iter().position(|byte| predicate(*byte)).map(|index| at + index)
}

/// The end of the run of wanted bytes that begins here. A predicate treats all bytes beyond ASCII
/// alike, so that no character is split.
fn end_of_run(text: &str, start: usize, predicate: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[start..]
        .iter()
        .position(|byte| !predicate(*byte))
        .map_or(text.len(), |index| start + index)
}

fn skip_blanks(text: &str, at: usize) -> usize {
    end_of_run(text, at, |byte| byte == b' ' || byte == b'\t')
}

/// The position after a quotation mark, which may itself be escaped.
fn skip_quote(text: &str, at: usize) -> Option<usize> {
    let mark = end_of_run(text, at, |byte| byte == b'\\');
    matches!(text.as_bytes().get(mark), Some(b'"' | b'\'')).then_some(mark + 1)
}

/// The end of a quoted value: before the same mark with at most as many escapes as the first one;
/// otherwise at the end of the line.
fn end_of_quoted(text: &str, quote_start: usize, content_start: usize) -> usize {
    let (mark, depth) = (text.as_bytes()[content_start - 1], content_start - 1 - quote_start);
    let mut slashes = 0;
    for (at, byte) in text.bytes().enumerate().skip(content_start) {
        match byte {
            b'\\' => slashes += 1,
            b'\n' => return at,
            byte if byte == mark && slashes <= depth => return at - slashes,
            _ => slashes = 0,
        }
    }
    text.len()
}
