//! Makes text of third parties safe to show.

use std::borrow::Cow;
use std::fmt::Write;

/// For a terminal or a log: control, bidi and tag characters become visible escapes; line feeds
/// stay.
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n')
}

/// For a page of third-party text: like [`text()`], but tabs stay, too.
pub fn page(text: &str) -> Cow<'_, str> {
    escape(text, |c| !matches!(c, '\n' | '\t'))
}

/// For one line: like [`text()`], but line feeds are escaped as well.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| true)
}

/// For text that is JSON already: the same characters become `\uXXXX`, which every parser decodes
/// to the original. Line feeds and tabs stay, since in JSON they only occur between tokens; a
/// carriage return becomes a space.
pub fn json(text: &str) -> Cow<'_, str> {
    escape_as(
        text,
        |c| !matches!(c, '\n' | '\t'),
        |out, c| if c == '\r' { out.push(' ') } else { push_utf16(out, c) },
    )
}

/// Appends the character as `\uXXXX`; a surrogate pair if one unit is not enough.
pub fn push_utf16(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

fn escape(text: &str, predicate: impl Fn(char) -> bool) -> Cow<'_, str> {
    escape_as(text, predicate, |out, c| out.extend(c.escape_unicode()))
}

fn escape_as(
    text: &str,
    predicate: impl Fn(char) -> bool,
    push: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(|c| is_dangerous(c) && predicate(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_dangerous(c) && predicate(c) {
            push(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether the text is nothing but visible ASCII, as most texts are. The chunks have no early exit
/// inside, so that the compiler vectorizes the comparison.
fn is_plain(text: &str) -> bool {
    let mut pieces = text.as_bytes().chunks(32);
    pieces.all(|piece| piece.iter().fold(true, |plain, byte| plain & (b' '..=b'~').contains(byte)))
}

/// Characters that move the cursor, change the reading order or are invisible.
pub fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
            | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}
