//! Inspects JSON text without parsing it: its depth, its size, and the ids of requests that it may
//! answer.
//!
//! Works on arbitrary bytes. Nothing here recurses, so depth costs no stack; nothing here relies on
//! matching brackets or on a terminated string.

/// Ids of one unreadable message that are looked for; no more requests can be in flight.
const MAX_IDS: usize = 64;

/// Refuses a message that nests deeper, or has more values (keys excluded), than this. Runs before
/// anything is parsed.
pub fn check_size(bytes: &[u8], max_depth: usize, max_values: usize) -> Result<(), String> {
    // Most messages cannot break a limit even if every bracket in them were open at once.
    let brackets = bytes.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if brackets <= max_depth && bytes.len() <= max_values {
        return Ok(());
    }
    let (mut depth, mut values) = (0_usize, 0_usize);
    for token in JsonTokens(bytes) {
        match token {
            JsonToken::Open(_) => (depth, values) = (depth + 1, values + 1),
            JsonToken::Close => depth = depth.saturating_sub(1),
            JsonToken::Text(_) | JsonToken::Scalar(_) => values += 1,
            // The text before the colon was a key, not a value.
            JsonToken::Colon => values = values.saturating_sub(1),
            JsonToken::Comma => {}
        }
        if depth > max_depth {
            return Err(format!("a message that is nested deeper than {max_depth} levels"));
        }
        if values > max_values {
            return Err(format!("a message with more than {max_values} values"));
        }
    }
    Ok(())
}

/// The ids of requests that an invalid message seems to answer: the numbers at `id`, on the level
/// where a response has it, if the same level looks like a response and not like a request. A log
/// line that quotes JSON is ignored, because it does not start with a bracket.
pub fn ids_of_responses(bytes: &[u8]) -> Vec<u64> {
    let level = match JsonTokens(bytes).next() {
        Some(JsonToken::Open(b'{')) => 1,
        Some(JsonToken::Open(_)) => 2,
        _ => return Vec::new(),
    };
    let (mut depth, mut ids, mut is_response) = (0_usize, Vec::new(), false);
    let (mut text, mut key): (&[u8], &[u8]) = (b"", b"");
    for token in JsonTokens(bytes) {
        match token {
            JsonToken::Open(_) => depth += 1,
            JsonToken::Close => depth = depth.saturating_sub(1),
            _ if depth != level => {}
            JsonToken::Text(value) => text = value,
            JsonToken::Colon => {
                key = text;
                match key {
                    b"method" => return Vec::new(),
                    b"jsonrpc" | b"result" | b"error" => is_response = true,
                    _ => {}
                }
            }
            JsonToken::Comma => key = b"",
            JsonToken::Scalar(scalar) if key == b"id" && ids.len() < MAX_IDS => {
                ids.extend(parse_integer(scalar))
            }
            JsonToken::Scalar(_) => {}
        }
    }
    if is_response { ids } else { Vec::new() }
}

enum JsonToken<'a> {
    Open(u8),
    Close,
    Colon,
    Comma,
    /// A string between quotes, escapes as written; if it is unterminated, the rest of the input.
    Text(&'a [u8]),
    /// A number, a literal, or garbage.
    Scalar(&'a [u8]),
}

/// The tokens of the remaining input.
struct JsonTokens<'a>(&'a [u8]);

impl<'a> Iterator for JsonTokens<'a> {
    type Item = JsonToken<'a>;

    fn next(&mut self) -> Option<JsonToken<'a>> {
        self.0 = self.0.trim_ascii_start();
        let (first, rest) = self.0.split_first()?;
        let token = match first {
            b'{' | b'[' => JsonToken::Open(*first),
            b'}' | b']' => JsonToken::Close,
            b':' => JsonToken::Colon,
            b',' => JsonToken::Comma,
            b'"' => {
                let end = end_of_string(rest);
                self.0 = rest.get(end + 1..).unwrap_or_default();
                return Some(JsonToken::Text(&rest[..end]));
            }
            _ => {
                let (scalar, rest) = self.0.split_at(end_of_scalar(self.0));
                self.0 = rest;
                return Some(JsonToken::Scalar(scalar));
            }
        };
        self.0 = rest;
        Some(token)
    }
}

fn end_of_string(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(step) =
        bytes.get(at..).and_then(|bytes| bytes.iter().position(|byte| matches!(byte, b'"' | b'\\')))
    {
        at += step;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

fn end_of_scalar(bytes: &[u8]) -> usize {
    let ends = |byte: &u8| {
        matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"') || byte.is_ascii_whitespace()
    };
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

/// Parses a decimal integer without sign or blanks.
pub fn parse_integer(bytes: &[u8]) -> Option<u64> {
    let is_integer = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    if is_integer { std::str::from_utf8(bytes).ok()?.parse().ok() } else { None }
}
