//! Shortens long texts to a line of a list.

#[cfg(test)]
mod tests;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a text if the width of the terminal is unknown.
pub const ROOM: usize = 100;

/// The minimum width of a text; on a narrow terminal it continues on the next line.
const LEAST: usize = 30;
/// A shorter text with a full stop is not a sentence, but `E.g.` or `v1.`.
const SENTENCE: usize = 12;

/// The width that is left on a line after the text `before`.
pub fn room(line: Option<usize>, before: &str) -> usize {
    line.map_or(ROOM, |it| it.saturating_sub(before.width()).max(LEAST))
}

/// The text if it fits; otherwise its first sentence, or as many words as fit. An ellipsis
/// marks omitted text.
pub fn brief(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let fitting = fitting(text, room.saturating_sub(2));
    match sentence(fitting) {
        Some(sentence) => format!("{sentence} …"),
        None => format!("{}…", words(fitting)),
    }
}

/// The first sentence, if it ends within the text.
fn sentence(text: &str) -> Option<&str> {
    let ends = |it: &(usize, char)| {
        let after = text[it.0 + it.1.len_utf8()..].chars().next();
        it.1 == '。' || (matches!(it.1, '.' | '!' | '?') && after.is_some_and(char::is_whitespace))
    };
    let (at, end) = text.char_indices().filter(|it| it.0 >= SENTENCE).find(ends)?;
    Some(&text[..at + end.len_utf8()])
}

/// Cuts at the last space, unless that is far away: some scripts have no spaces.
fn words(text: &str) -> &str {
    let cut = text.rfind(char::is_whitespace).filter(|it| *it > text.len() / 2);
    text[..cut.unwrap_or(text.len())].trim_end_matches(|it: char| it.is_whitespace() || it == ',')
}

fn fitting(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, it) in text.char_indices() {
        used += it.width().unwrap_or(1);
        if used > room {
            return &text[..at];
        }
    }
    text
}
