//! Splits plain text at the variables in it.

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextPiece<'a> {
    /// Literal text.
    Plain(&'a str),
    /// `${NAME}`, `${env:NAME}`, and either with `:-default` before the brace.
    Variable { name: &'a str, default: Option<&'a str> },
    /// `${kind:what}` of an unknown kind. Passing it on as written would turn it into a value.
    Unknown(&'a str),
}

/// All parts of the text, in order. Text that only resembles a variable, `${}` or `${a.b}`, is
/// literal.
pub(super) fn split(text: &str) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain_from, mut at) = (0, 0);
    while let Some(found) = text[at..].find("${").map(|index| at + index) {
        let escaped = text[plain_from..found].ends_with('$');
        let end = text[found..].find('}').map(|index| found + index + 1);
        let piece = end.and_then(|end| variable(&text[found..end]).map(|piece| (piece, end)));
        at = found + 2;
        if escaped {
            // The first `$` is the escape character and is omitted.
            pieces.push(TextPiece::Plain(&text[plain_from..found - 1]));
            plain_from = found;
        } else if let Some((piece, end)) = piece {
            pieces.push(TextPiece::Plain(&text[plain_from..found]));
            pieces.push(piece);
            (plain_from, at) = (end, end);
        }
    }
    pieces.push(TextPiece::Plain(&text[plain_from..]));
    pieces
}

/// Parses a variable. `written` starts with `${` and ends with the first `}`.
fn variable(written: &str) -> Option<TextPiece<'_>> {
    let inner = written.strip_prefix("${")?.strip_suffix('}')?;
    let (reference, default) = match inner.split_once(":-") {
        Some((reference, default)) => (reference, Some(default)),
        None => (inner, None),
    };
    match reference.split_once(':') {
        None => is_name(reference).then_some(TextPiece::Variable { name: reference, default }),
        Some(("env", name)) if is_name(name) => Some(TextPiece::Variable { name, default }),
        Some((kind, _)) => is_name(kind).then_some(TextPiece::Unknown(written)),
    }
}

/// Whether it is a valid variable name: letters, digits and `_`, not starting with a digit.
pub(super) fn is_name(text: &str) -> bool {
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_name_byte) && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}
