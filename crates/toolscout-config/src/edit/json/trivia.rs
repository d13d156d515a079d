//! White space and comments between JSON tokens.

/// The offset of the next character that is neither white space nor part of a comment.
pub(super) fn skip(text: &str, start: usize) -> usize {
    let mut offset = start;
    loop {
        offset += text[offset..].len() - text[offset..].trim_start().len();
        match comment_length(&text[offset..]) {
            Some(length) => offset += length,
            None => return offset,
        }
    }
}

/// The end of a comment that follows on the same line; `start` itself if there is none.
pub(super) fn trailing_comment_end(text: &str, start: usize) -> usize {
    let offset =
        start + (text[start..].len() - text[start..].trim_start_matches([' ', '\t']).len());
    match comment_length(&text[offset..]) {
        Some(length) if !text[offset..offset + length].contains('\n') => offset + length,
        _ => start,
    }
}

/// Whether the line contains only a comment.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    comment_length(line) == Some(line.len())
}

/// The length of the comment at the start of the text, without its line break.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split('\n').next().unwrap_or(text);
        return Some(line.trim_end_matches('\r').len());
    }
    text.strip_prefix("/*")?.find("*/").map(|index| index + 4)
}
