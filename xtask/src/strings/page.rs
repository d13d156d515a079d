//! Texts of the web UI: literals of its scripts, text and labels of its HTML.

use super::{TextKind, UserText, is_sentence};
use crate::source_text::SourceText;

/// Attributes whose value is shown or read aloud.
const LABELS: [&str; 4] = ["title=\"", "alt=\"", "aria-label=\"", "placeholder=\""];

/// Literals that are sentences or labels.
pub(super) fn of_script(source: &str) -> Vec<UserText> {
    let literals = SourceText::of_javascript(source).literals.into_iter();
    let shown = literals.filter(|literal| is_sentence(&literal.text) || is_label(&literal.text));
    shown.map(|literal| text(literal.line, &literal.text)).collect()
}

/// A capitalized word, such as the text of a button.
fn is_label(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    first.is_some_and(char::is_uppercase) && text.len() > 1 && letters.all(char::is_lowercase)
}

pub(super) fn of_html(source: &str) -> Vec<UserText> {
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let mut rest = line;
        while let Some((shown, after)) = rest.split_once('<') {
            found.push((index, shown));
            let (tag, after) = after.split_once('>').unwrap_or((after, ""));
            for label in LABELS {
                let value = tag.split_once(label).and_then(|(_, value)| value.split_once('"'));
                found.extend(value.map(|(value, _)| (index, value)));
            }
            rest = after;
        }
        found.push((index, rest));
    }
    found.retain(|(_, shown)| shown.contains(char::is_alphabetic));
    found.into_iter().map(|(index, shown)| text(index + 1, shown.trim())).collect()
}

fn text(line: usize, text: &str) -> UserText {
    UserText { kind: TextKind::WebUi, line, text: text.to_owned() }
}
