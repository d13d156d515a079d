//! Placeholders in a text, written `{{name}}`.

use super::super::document::did_you_mean;
use super::Argument;
use serde_json::{Map, Value};

/// Letters, digits, `_` and `-`; a letter first.
pub(super) fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

/// Fails if a text contains a placeholder without an argument. In a prompt without arguments,
/// braces are plain text.
pub(super) fn check(text: &str, arguments: &[Argument]) -> Result<(), String> {
    let known: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let unknown = |piece: PromptPiece<'_>| match piece {
        PromptPiece::Placeholder(name) if !known.contains(&name) => Some(name.to_owned()),
        _ => None,
    };
    match pieces(text).find_map(unknown).filter(|_| !known.is_empty()) {
        Some(name) => Err(format!(
            "`{{{{{name}}}}}` is not an argument of this prompt{}",
            did_you_mean(&name, &known)
        )),
        None => Ok(()),
    }
}

/// The text with each placeholder filled; inserted values are not expanded again. A missing
/// argument becomes the empty string.
pub(super) fn fill(text: &str, known: &[&str], arguments: &Map<String, Value>) -> String {
    let given = |name: &str| match arguments.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let filled = pieces(text).map(|piece| match piece {
        PromptPiece::Placeholder(name) if known.contains(&name) => given(name),
        PromptPiece::Placeholder(name) => format!("{{{{{name}}}}}"),
        PromptPiece::Text(text) => text.to_owned(),
    });
    filled.collect()
}

enum PromptPiece<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// Splits the text into pieces; braces around anything but a name are text.
fn pieces(text: &str) -> impl Iterator<Item = PromptPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, below)) = placeholder(rest) {
            rest = below;
            return Some(PromptPiece::Placeholder(name));
        }
        // Takes at least one character, to advance past braces that are not a placeholder.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find("{{").map_or(rest.len(), |index| first + index);
        let (text, below) = rest.split_at(end);
        rest = below;
        Some(PromptPiece::Text(text))
    })
}

/// The name of the placeholder at the start of the text, and the rest.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (inside, rest) = text.strip_prefix("{{")?.split_once("}}")?;
    let name = inside.trim();
    is_name(name).then_some((name, rest))
}
