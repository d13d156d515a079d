//! Finds brackets and separators in source text, without parsing the language.

/// The text inside the bracket that opens at `at`, and the position after the closing one; `None`
/// if none opens there, or if it is not closed. Brackets in quotes do not count.
pub(super) fn bracketed(text: &str, at: usize) -> Option<(&str, usize)> {
    if !text[at..].starts_with(['(', '[', '{']) {
        return None;
    }
    let mut depth = 0_usize;
    let mut end = None;
    each_char(&text[at..], |index, c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            end = Some(at + index);
        }
        depth > 0
    });
    end.map(|end| (&text[at + 1..end], end + 1))
}

/// Splits at any of these characters outside brackets, angle brackets and quotes. Parts are
/// trimmed; an empty last part is left out.
pub(super) fn split<'a>(text: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut depth = 0_i32;
    let mut start = 0;
    let bytes = text.as_bytes();
    each_char(text, |index, c| {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if index > 0 && matches!(bytes[index - 1], b'=' | b'-') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            c if depth == 0 && separators.contains(&c) => {
                parts.push(text[start..index].trim());
                start = index + c.len_utf8();
            }
            _ => {}
        }
        true
    });
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// Splits at the first such character outside brackets and quotes.
pub(super) fn split_once(text: &str, separator: char) -> (&str, Option<&str>) {
    match split(text, &[separator]).first() {
        Some(first) if first.len() < text.trim().len() => {
            let start = first.as_ptr() as usize - text.as_ptr() as usize + first.len();
            let rest = text[start..].trim_start();
            (first, rest.strip_prefix(separator).map(str::trim))
        }
        _ => (text.trim(), None),
    }
}

/// Calls `each` for the characters outside quotes, until it returns `false`.
fn each_char(text: &str, mut each: impl FnMut(usize, char) -> bool) {
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None => {
                if !each(index, c) {
                    return;
                }
            }
        }
    }
}

/// The value of a literal: JSON, a quoted string, or the words of Python.
pub(super) fn literal(text: &str) -> Option<serde_json::Value> {
    use serde_json::Value;
    let text = text.trim();
    match text {
        "True" => return Some(true.into()),
        "False" => return Some(false.into()),
        "None" | "undefined" => return Some(Value::Null),
        _ => {}
    }
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inside) = quoted('\'').or_else(|| quoted('`'))
        && !inside.contains(['\'', '\\', '`', '$'])
    {
        return Some(inside.into());
    }
    serde_json::from_str(text).ok()
}
