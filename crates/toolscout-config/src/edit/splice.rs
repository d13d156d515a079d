//! Replacements of parts of a text; everything between them stays byte for byte.

use std::ops::Range;

/// A range and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    pub(super) fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::new(offset..offset, text)
    }

    pub(super) fn remove(range: Range<usize>) -> Self {
        Self::new(range, "")
    }
}

/// The text with all replacements applied; `None` if they overlap. Several insertions at one offset
/// keep their order.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|splice| splice.range.start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut copied = 0;
    for splice in splices {
        out += text.get(copied..splice.range.start)?;
        out += &splice.text;
        copied = splice.range.end;
    }
    out += text.get(copied..)?;
    Some(out)
}

/// The start of the line that contains this offset.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |index| index + 1)
}

/// The start of the line after this offset; the end of the text if there is none.
pub(super) fn next_line(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |index| offset + index + 1)
}

/// The end of the line, without its line break.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    let end = text[offset..].find('\n').map_or(text.len(), |index| offset + index);
    if text[offset..end].ends_with('\r') { end - 1 } else { end }
}

/// The indentation of the line that contains this offset.
pub(super) fn indent(text: &str, offset: usize) -> &str {
    let line = &text[line_start(text, offset)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The line break that the text uses.
pub(super) fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The line before this offset, which must be a line start.
pub(super) fn line_before(text: &str, offset: usize) -> Option<Range<usize>> {
    let end = offset.checked_sub(1)?;
    Some(line_start(text, end)..offset)
}
