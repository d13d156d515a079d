//! White space and comments between the parts of JSON.

/// Where the next thing is that is neither white space nor a comment.
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

/// Where a comment ends that follows on the same line; the place itself if there is none.
pub(super) fn end_of_comment_on_line(text: &str, from: usize) -> usize {
    let at = from + (text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len());
    match comment(&text[at..]) {
        Some(length) if !text[at..at + length].contains('\n') => at + length,
        _ => from,
    }
}

/// Whether the line holds a comment and nothing else.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    comment(line) == Some(line.len())
}

/// How long the comment is that the text starts with, its line break not counted.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split('\n').next().unwrap_or(text);
        return Some(line.trim_end_matches('\r').len());
    }
    text.strip_prefix("/*")?.find("*/").map(|it| it + 4)
}
