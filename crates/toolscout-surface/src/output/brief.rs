//! Shortens long texts to a line of a list.

#[cfg(test)]
mod tests;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a text if the width of the terminal is unknown.
pub const DEFAULT_WIDTH: usize = 100;

/// The minimum width of a text; on a narrow terminal it continues on the next line.
const MIN_WIDTH: usize = 30;
/// A shorter text with a full stop is not a sentence, but `E.g.` or `v1.`.
const MIN_SENTENCE: usize = 12;

/// The width that is left on a line after the text `before`.
pub fn remaining_width(line: Option<usize>, before: &str) -> usize {
    line.map_or(DEFAULT_WIDTH, |line| line.saturating_sub(before.width()).max(MIN_WIDTH))
}

/// The text if it fits; otherwise its first sentence, or as many words as fit. An ellipsis
/// marks omitted text.
pub fn brief(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let prefix = prefix_within(text, width.saturating_sub(2));
    match sentence(prefix) {
        Some(sentence) => format!("{sentence} …"),
        None => format!("{}…", whole_words(prefix)),
    }
}

/// The first sentence, if it ends within the text.
fn sentence(text: &str) -> Option<&str> {
    let ends = |value: &(usize, char)| {
        let after = text[value.0 + value.1.len_utf8()..].chars().next();
        value.1 == '。'
            || (matches!(value.1, '.' | '!' | '?') && after.is_some_and(char::is_whitespace))
    };
    let (index, end) = text.char_indices().filter(|c| c.0 >= MIN_SENTENCE).find(ends)?;
    Some(&text[..index + end.len_utf8()])
}

/// Cuts at the last space, unless that is far away: some scripts have no spaces.
fn whole_words(text: &str) -> &str {
    let cut = text.rfind(char::is_whitespace).filter(|value| *value > text.len() / 2);
    text[..cut.unwrap_or(text.len())].trim_end_matches(|c: char| c.is_whitespace() || c == ',')
}

fn prefix_within(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (index, c) in text.char_indices() {
        used += c.width().unwrap_or(1);
        if used > width {
            return &text[..index];
        }
    }
    text
}
