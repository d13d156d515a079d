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
pub(super) fn of(text: &str) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain_from, mut at) = (0, 0);
    while let Some(found) = text[at..].find("${").map(|it| at + it) {
        let escaped = text[plain_from..found].ends_with('$');
        let end = text[found..].find('}').map(|it| found + it + 1);
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
    let (said, default) = match inner.split_once(":-") {
        Some((said, default)) => (said, Some(default)),
        None => (inner, None),
    };
    match said.split_once(':') {
        None => is_name(said).then_some(TextPiece::Variable { name: said, default }),
        Some(("env", name)) if is_name(name) => Some(TextPiece::Variable { name, default }),
        Some((kind, _)) => is_name(kind).then_some(TextPiece::Unknown(written)),
    }
}

/// Whether it is a valid variable name: letters, digits and `_`, not starting with a digit.
pub(super) fn is_name(text: &str) -> bool {
    let word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.bytes().all(word) && text.bytes().next().is_some_and(|it| !it.is_ascii_digit())
}
