//! Long texts as a line that a list can show.

#[cfg(test)]
mod tests;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The room for a text where no terminal says how wide it is.
pub const ROOM: usize = 100;

/// On a narrow terminal a text gets at least this much, and goes on in the next line.
const LEAST: usize = 30;
/// What ends sooner than this is no sentence, but `E.g.` or `v1.`.
const SENTENCE: usize = 12;

/// The room that is left on a line of this width, behind what stands before the text.
pub fn room(line: Option<usize>, before: &str) -> usize {
    line.map_or(ROOM, |it| it.saturating_sub(before.width()).max(LEAST))
}

/// The text, if it is no wider than that; else its first sentence, or as many words as fit. An ellipsis says that there is
/// more.
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

/// The first sentence, if it ends in here.
fn sentence(text: &str) -> Option<&str> {
    let ends = |it: &(usize, char)| {
        let after = text[it.0 + it.1.len_utf8()..].chars().next();
        it.1 == '。' || (matches!(it.1, '.' | '!' | '?') && after.is_some_and(char::is_whitespace))
    };
    let (at, end) = text.char_indices().filter(|it| it.0 >= SENTENCE).find(ends)?;
    Some(&text[..at + end.len_utf8()])
}

/// Up to the last space, unless that is far away: some texts know no spaces.
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
