//! Reads the challenges in `WWW-Authenticate`.

#[cfg(test)]
mod tests;

/// The `Bearer` challenge of a server. None of it is verified.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Challenge {
    /// The address of the server's protected resource metadata.
    pub(super) resource_metadata: Option<String>,
    /// The scopes it requires.
    pub(super) scopes: Vec<String>,
    /// Whether a login exists but lacks scopes.
    pub(super) insufficient_scope: bool,
}

impl Challenge {
    /// Parses the header, which may contain several challenges. Only `Bearer` challenges count, and
    /// only the first value of each parameter.
    pub(super) fn parse(header: &str) -> Self {
        let mut out = Self::default();
        let mut bearer = false;
        let mut rest = header;
        while let Some((name, value, after)) = next(rest) {
            rest = after;
            match value {
                None => bearer = name.eq_ignore_ascii_case("bearer"),
                Some(value) if bearer => out.set_parameter(name, value),
                Some(_) => {}
            }
        }
        out
    }

    fn set_parameter(&mut self, name: &str, value: String) {
        match name.to_ascii_lowercase().as_str() {
            "resource_metadata" if self.resource_metadata.is_none() => {
                self.resource_metadata = Some(value)
            }
            "scope" if self.scopes.is_empty() => {
                self.scopes = value.split_whitespace().map(str::to_owned).collect()
            }
            "error" => self.insufficient_scope |= value == "insufficient_scope",
            _ => {}
        }
    }
}

/// The next word, its value if it is a parameter rather than a scheme, and the rest.
fn next(text: &str) -> Option<(&str, Option<String>, &str)> {
    let text = text.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    let end = text.find(|c: char| c == ',' || c == '=' || c.is_whitespace()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if text.is_empty() {
        return None;
    }
    // The padding of a `token68` credential looks like a parameter without a value. It is harmless,
    // and the loop still advances.
    match rest.trim_start().strip_prefix('=') {
        Some(value) => {
            let (value, rest) = self::value(value.trim_start());
            Some((name, Some(value), rest))
        }
        None => Some((name, None, rest)),
    }
}

fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut out = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, inner)) = chars.next() {
        match inner {
            '"' => return (out, &quoted[at + 1..]),
            '\\' => out.extend(chars.next().map(|(_, value)| value)),
            value => out.push(value),
        }
    }
    (out, "")
}
