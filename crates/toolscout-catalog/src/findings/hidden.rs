//! Characters that are invisible, change the display order of others, or act on a terminal.

use super::phrases::excerpt;
use super::{Finding, FindingKind, Severity};

/// One finding for each group of characters: the first occurrence, with the severity of the whole
/// group.
pub(super) fn findings(text: &str) -> Vec<Finding> {
    let blank = blank_run(text);
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return blank.into_iter().collect();
    }
    let mut groups: [Option<CharacterGroup>; 2] = [None, None];
    let mut before = PrecedingText::default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, value)| *value);
        let (slot, severity) = match (control(c, next), hidden(c, next, &before)) {
            (Some(severity), _) => (0, severity),
            (_, Some(severity)) => (1, severity),
            _ => {
                before.push(c);
                continue;
            }
        };
        groups[slot]
            .get_or_insert(CharacterGroup { first: at, count: 0, worst: severity })
            .count(severity);
        before.push(c);
    }
    let kinds = [FindingKind::Control, FindingKind::Hidden];
    kinds
        .into_iter()
        .zip(groups)
        .filter_map(|(kind, group)| group.map(|group| group.finding(kind, text)))
        .chain(blank)
        .collect()
}

/// Text after so much white space that it is out of sight for people.
fn blank_run(text: &str) -> Option<Finding> {
    const MAX_LINE_BREAKS: usize = 15;
    const MAX_SPACES: usize = 120;
    if text.len() <= MAX_LINE_BREAKS {
        return None;
    }
    let (mut start, mut breaks, mut spaces) = (0, 0, 0);
    for (at, c) in text.trim_end().char_indices() {
        if !c.is_whitespace() {
            if start > 0 && (breaks > MAX_LINE_BREAKS || spaces > MAX_SPACES) {
                let end = text.ceil_char_boundary((at + 80).min(text.len()));
                let found = excerpt(text, at..end);
                return Some(Finding::new(FindingKind::Hidden, Severity::Severe, found));
            }
            (start, breaks, spaces) = (at + 1, 0, 0);
        } else if c == '\n' {
            breaks += 1;
        } else {
            spaces += 1;
        }
    }
    None
}

/// All characters of one group.
struct CharacterGroup {
    first: usize,
    count: usize,
    worst: Severity,
}

impl CharacterGroup {
    /// A single character may come from a word processor; many may carry a message.
    const MANY: usize = 6;

    fn count(&mut self, severity: Severity) {
        self.count += 1;
        self.worst = self.worst.max(severity);
    }

    fn finding(self, kind: FindingKind, text: &str) -> Finding {
        let severity = if self.count >= Self::MANY { Severity::Severe } else { self.worst };
        Finding::new(
            kind,
            severity,
            excerpt(text, self.first..text.ceil_char_boundary(self.first + 1)),
        )
    }
}

/// The text before a character, as far as it justifies that character.
#[derive(Default)]
struct PrecedingText {
    last: Option<char>,
    is_rtl: bool,
    /// Within the tag sequence of a flag, such as Scotland's.
    in_flag: bool,
}

impl PrecedingText {
    fn push(&mut self, c: char) {
        self.is_rtl |= matches!(c, '\u{0590}'..='\u{08ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
        self.in_flag = c == '\u{1f3f4}' || (self.in_flag && is_tag(c));
        self.last = Some(c);
    }

    fn is_ascii(&self) -> bool {
        self.last.is_none_or(|value| value.is_ascii())
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn control(c: char, next: Option<char>) -> Option<Severity> {
    match c {
        '\n' | '\t' => None,
        // Before a line feed it is part of a line ending; elsewhere it overwrites displayed text.
        '\r' => {
            next.is_some_and(|value| value != '\n' && value != '\r').then_some(Severity::Severe)
        }
        // These start an escape sequence as a single byte; the others are left over from a wrong
        // encoding.
        '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}' => Some(Severity::Severe),
        '\u{80}'..='\u{9f}' | '\u{0c}' | '\u{0b}' | '\u{2028}' | '\u{2029}' => Some(Severity::Note),
        value if value.is_control() => Some(Severity::Severe),
        _ => None,
    }
}

fn hidden(c: char, next: Option<char>, before: &PrecedingText) -> Option<Severity> {
    let splits_word = before.last.is_some_and(|value| value.is_ascii_alphanumeric())
        && next.is_some_and(|value| value.is_ascii_alphanumeric());
    let severe_if = |severe: bool| Some(if severe { Severity::Severe } else { Severity::Note });
    match c {
        // Joiners belong to emoji and to scripts that join their letters.
        '\u{200c}' | '\u{200d}' if !before.is_ascii() => None,
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{00ad}' | '\u{2060}' => severe_if(splits_word),
        '\u{feff}' => severe_if(before.last.is_some()),
        '\u{200e}' | '\u{200f}' | '\u{061c}' => severe_if(!before.is_rtl),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Severity::Severe),
        '\u{2061}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{180e}' => Some(Severity::Severe),
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{034f}' | '\u{17b4}'
        | '\u{17b5}' => Some(Severity::Severe),
        value if is_tag(value) => (!before.in_flag).then_some(Severity::Severe),
        // A variation selector changes the look of the letter before it; after a plain letter, or
        // repeated, it has no effect.
        '\u{fe00}'..='\u{fe0f}' => has_no_base(before).then_some(Severity::Severe),
        '\u{e0100}'..='\u{e01ef}' => has_no_base(before).then_some(Severity::Severe),
        _ => None,
    }
}

fn has_no_base(before: &PrecedingText) -> bool {
    before.last.is_none_or(|value| {
        value.is_ascii_alphabetic()
            || value == ' '
            || matches!(value, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
    })
}
