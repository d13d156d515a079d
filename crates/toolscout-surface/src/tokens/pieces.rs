//! Splits a text by the rules of the tokenizer, exactly for ASCII.
//!
//! A part with other characters is not split up to a position at which a split is certain, and
//! its bytes are counted.

/// A part of the text that is encoded separately.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Letters, with the blank or sign before them and an English ending (`'s`) after them.
    Word(&'a str),
    /// Digits, any number of them.
    Number(&'a str),
    /// Signs, with the blank before them and the line ends after them.
    Signs(&'a str),
    /// White space.
    Blank(&'a str),
    /// One or more pieces that contain non-ASCII characters.
    Other(&'a str),
}

#[cfg(test)]
impl<'a> Piece<'a> {
    pub(super) fn text(&self) -> &'a str {
        match self {
            Self::Word(word)
            | Self::Number(word)
            | Self::Signs(word)
            | Self::Blank(word)
            | Self::Other(word) => word,
        }
    }
}

/// The pieces of a text, in order; concatenated they are the text.
pub(super) struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let bytes = self.rest.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        let (mut end, kind) = plain(bytes);
        let is_other = bytes.get(end).is_some_and(|byte| !byte.is_ascii());
        if is_other {
            end = other(self.rest, end);
        }
        let (piece, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(if is_other { Piece::Other(piece) } else { kind(piece) })
    }
}

type Kind<'a> = fn(&'a str) -> Piece<'a>;

/// The end and the kind of the piece that starts here, as far as it is ASCII.
fn plain<'a>(bytes: &[u8]) -> (usize, Kind<'a>) {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b'0');
    let first = bytes[0];
    if !first.is_ascii() {
        return (0, Piece::Other);
    }
    if first.is_ascii_digit() {
        return (run(bytes, 0, |value| value.is_ascii_digit()), Piece::Number);
    }
    if first.is_ascii_alphabetic() {
        return (word(bytes, 0), Piece::Word);
    }
    if at(1).is_ascii_alphabetic() && !matches!(first, b'\r' | b'\n') {
        return (word(bytes, 1), Piece::Word);
    }
    if is_sign(first) || first == b' ' && is_sign(at(1)) {
        let end = run(bytes, 1, is_sign);
        return (run(bytes, end, |value| matches!(value, b'\r' | b'\n' | b'/')), Piece::Signs);
    }
    (blank(bytes), Piece::Blank)
}

fn run(bytes: &[u8], start: usize, is_in: impl Fn(u8) -> bool) -> usize {
    bytes[start..].iter().position(|byte| !is_in(*byte)).map_or(bytes.len(), |index| start + index)
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !is_blank(byte)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Upper case, then lower case; the next upper case letter starts another word.
fn word(bytes: &[u8], start: usize) -> usize {
    let end = run(bytes, start, |value| value.is_ascii_uppercase());
    let end = run(bytes, end, |value| value.is_ascii_lowercase());
    end + ending(&bytes[end..])
}

fn ending(bytes: &[u8]) -> usize {
    let lower = |index: usize| bytes.get(index).map_or(0, u8::to_ascii_lowercase);
    match (lower(0), lower(1), lower(2)) {
        (b'\'', b's' | b't' | b'm' | b'd', _) => 2,
        (b'\'', b'r' | b'v', b'e') | (b'\'', b'l', b'l') => 3,
        _ => 0,
    }
}

/// Up to the last line end of the whitespace; without a line end, all of it but the last
/// character, which belongs to the next piece.
fn blank(bytes: &[u8]) -> usize {
    let end = run(bytes, 0, is_blank);
    if bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
        return end;
    }
    if let Some(last) = bytes[..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        return last + 1;
    }
    if end == bytes.len() || end == 1 { end } else { end - 1 }
}

/// The first position after the non-ASCII character at `start` at which a split is certain.
fn other(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    while bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
        let from = end;
        end = run(bytes, end, |value| !value.is_ascii());
        if text[from..end].chars().any(char::is_whitespace) {
            end = run(bytes, end, is_blank);
        }
        let digits = run(bytes, end, |value| value.is_ascii_digit());
        if digits > end {
            end = digits;
            continue;
        }
        end = run(bytes, end, |value| is_sign(value) || matches!(value, b'\r' | b'\n'));
        end = run(bytes, end, |value| value.is_ascii_alphabetic() || value == b'\'');
    }
    end
}
