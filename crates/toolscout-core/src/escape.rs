//! Makes other people's text safe to show.

use std::borrow::Cow;

/// For a terminal or a log: control, bidi and tag characters become visible escapes; line feeds stay.
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |it| it != '\n')
}

/// For one line: as [`text()`], and line feeds are escaped as well.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| true)
}

fn escape(text: &str, also: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|it| is_dangerous(it) && also(it)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for it in text.chars() {
        if is_dangerous(it) && also(it) {
            out.extend(it.escape_unicode());
        } else {
            out.push(it);
        }
    }
    Cow::Owned(out)
}

/// Characters that move the cursor, change the reading order or are not seen at all.
fn is_dangerous(it: char) -> bool {
    it.is_control()
        || matches!(it,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
            | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}
