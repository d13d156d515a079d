//! White space and comments between JSON tokens.

/// The offset of the next character that is neither white space nor part of a comment.
pub(super) fn skip(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        match comment(&text[at..]) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The end of a comment that follows on the same line; `from` itself if there is none.
pub(super) fn end_of_comment_on_line(text: &str, from: usize) -> usize {
    let at = from + (text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len());
    match comment(&text[at..]) {
        Some(length) if !text[at..at + length].contains('\n') => at + length,
        _ => from,
    }
}

/// Whether the line contains only a comment.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    comment(line) == Some(line.len())
}

/// The length of the comment at the start of the text, without its line break.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split('\n').next().unwrap_or(text);
        return Some(line.trim_end_matches('\r').len());
    }
    text.strip_prefix("/*")?.find("*/").map(|it| it + 4)
}
