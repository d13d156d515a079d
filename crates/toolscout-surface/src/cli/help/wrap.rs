//! Wraps lines to the width of the terminal, counted in columns, not in bytes or characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks one line at spaces; a word longer than a line, or a script without spaces, breaks
/// anywhere.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut length = word.width();
        if used > 0 && used + 1 + length <= width {
            push(&mut lines, " ");
            used += 1;
        } else if used > 0 {
            lines.push(String::new());
            used = 0;
        }
        let mut word = word;
        while used + length > width {
            let (head, tail) = split(word, width);
            push(&mut lines, head);
            lines.push(String::new());
            (word, length) = (tail, tail.width());
        }
        push(&mut lines, word);
        used += length;
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Truncates the text to one line, with an ellipsis if it is cut.
pub(super) fn truncate(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (head, _) = split(text, width.saturating_sub(1));
    format!("{}…", head.trim_end())
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

/// Splits after as many columns as fit, but after at least one character, so that the loop
/// terminates.
fn split(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (index, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && index > 0 {
            return text.split_at(index);
        }
    }
    (text, "")
}
