//! Splits source files into code, comments and string literals, without parsing them.
//!
//! A parse with syn takes seconds in a debug build; checks that run over the whole repository use
//! this instead.

#[cfg(test)]
mod tests;

/// A stretch of text that people read, with the line it starts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) line: usize,
    /// Without comment markers and quotes. Each `\n` is a line of the file.
    pub(crate) text: String,
}

/// A source file by parts.
#[derive(Debug, Default)]
pub(crate) struct SourceText {
    /// The file with comments and the content of literals blanked; lines and columns stay.
    pub(crate) code: String,
    /// Comments. Comments on consecutive lines are one passage.
    pub(crate) comments: Vec<Passage>,
    /// String literals as written, with escapes; without names of CSS classes.
    pub(crate) literals: Vec<Passage>,
}

/// Whether a literal is a statement of SQL.
pub(crate) fn is_sql(text: &str) -> bool {
    const VERBS: [&str; 10] = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "PRAGMA",
        "WITH",
    ];
    VERBS.contains(&text.split_whitespace().next().unwrap_or_default())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    JavaScript,
}

impl SourceText {
    pub(crate) fn of_rust(source: &str) -> Self {
        Scanner::new(source, Language::Rust).run()
    }

    pub(crate) fn of_javascript(source: &str) -> Self {
        Scanner::new(source, Language::JavaScript).run()
    }
}

struct Scanner<'a> {
    source: &'a str,
    bytes: &'a [u8],
    language: Language,
    at: usize,
    line: usize,
    code: Vec<u8>,
    comments: Vec<Passage>,
    literals: Vec<Passage>,
    /// The line after the last comment that had its line for itself.
    next_line_of_comment: usize,
    /// Whether the current line has code so far.
    line_has_code: bool,
    /// The last byte of code that is not a space.
    last_code: u8,
}

impl<'a> Scanner<'a> {
    fn new(source: &'a str, language: Language) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            language,
            at: 0,
            line: 1,
            code: Vec::with_capacity(source.len()),
            comments: Vec::new(),
            literals: Vec::new(),
            next_line_of_comment: 0,
            line_has_code: false,
            last_code: b'\n',
        }
    }

    fn run(mut self) -> SourceText {
        while let Some(&byte) = self.bytes.get(self.at) {
            let next = self.bytes.get(self.at + 1).copied().unwrap_or(0);
            match byte {
                b'/' if next == b'/' => self.line_comment(),
                b'/' if next == b'*' => self.block_comment(),
                b'/' if self.language == Language::JavaScript && self.is_regex() => self.regex(),
                b'"' => self.quoted(b'"'),
                b'\'' if self.language == Language::Rust => self.character(),
                b'\'' | b'`' if self.language == Language::JavaScript => self.quoted(byte),
                b'r' if self.language == Language::Rust && self.raw_hashes().is_some() => {
                    self.raw()
                }
                _ => self.copy(1),
            }
        }
        let code = String::from_utf8_lossy(&self.code).into_owned();
        SourceText { code, comments: self.comments, literals: self.literals }
    }

    /// Keeps this many bytes as code.
    fn copy(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        for &byte in &self.bytes[self.at..end] {
            self.code.push(byte);
            if byte == b'\n' {
                self.line += 1;
                self.line_has_code = false;
            } else if !byte.is_ascii_whitespace() {
                self.line_has_code = true;
                self.last_code = byte;
            }
        }
        self.at = end;
    }

    /// Blanks up to here.
    fn blank(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        for &byte in &self.bytes[self.at..end] {
            self.code.push(if byte == b'\n' { b'\n' } else { b' ' });
            if byte == b'\n' {
                self.line += 1;
                self.line_has_code = false;
            }
        }
        self.at = end;
    }

    fn line_comment(&mut self) {
        let rest = &self.source[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let text = rest[..end].trim_start_matches(['/', '!']);
        let text = text.strip_prefix(' ').unwrap_or(text);
        let is_alone = !self.line_has_code;
        match self.comments.last_mut() {
            Some(last) if is_alone && self.line == self.next_line_of_comment => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            _ => self.comments.push(Passage { line: self.line, text: text.to_owned() }),
        }
        self.next_line_of_comment = if is_alone { self.line + 1 } else { 0 };
        self.blank(self.at + end);
    }

    fn block_comment(&mut self) {
        let rest = &self.source[self.at + 2..];
        let end = rest.find("*/").unwrap_or(rest.len());
        let lines =
            rest[..end].lines().map(|text| text.trim().trim_start_matches('*').trim_start());
        let text = lines.collect::<Vec<_>>().join("\n");
        self.comments.push(Passage { line: self.line, text });
        self.blank(self.at + 2 + end + 2);
    }

    /// A literal with escapes, whose opening quote is here.
    fn quoted(&mut self, quote: u8) {
        let is_class =
            [&b"class: "[..], b"className = "].iter().any(|key| self.code.ends_with(key));
        self.copy(1);
        let end = self.end_of_quoted(self.at, quote);
        if is_class && self.language == Language::JavaScript {
            self.blank(end);
        } else {
            self.literal(end);
        }
        self.copy(1);
    }

    /// The position of the closing quote. A template of JavaScript may contain others in `${}`.
    fn end_of_quoted(&self, start: usize, quote: u8) -> usize {
        let mut end = start;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'$' if quote == b'`' && self.bytes.get(end + 1) == Some(&b'{') => {
                    end = self.end_of_braces(end + 2) + 1;
                }
                _ if byte == quote => break,
                _ => end += 1,
            }
        }
        end
    }

    /// The position of the brace that closes the one before `start`.
    fn end_of_braces(&self, start: usize) -> usize {
        let mut end = start;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'}' => break,
                b'{' => end = self.end_of_braces(end + 1) + 1,
                b'"' | b'\'' | b'`' => end = self.end_of_quoted(end + 1, byte) + 1,
                _ => end += 1,
            }
        }
        end
    }

    fn literal(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        let text = self.source.get(self.at..end).unwrap_or_default();
        self.literals.push(Passage { line: self.line, text: text.to_owned() });
        self.blank(end);
    }

    /// The number of hashes of the raw literal that starts here, if one does.
    fn raw_hashes(&self) -> Option<usize> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let before = &self.bytes[..self.at];
        let before = before.strip_suffix(b"b").or(before.strip_suffix(b"c")).unwrap_or(before);
        if before.last().is_some_and(is_word) {
            return None;
        }
        let rest = &self.bytes[self.at + 1..];
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        (rest.get(hashes) == Some(&b'"')).then_some(hashes)
    }

    fn raw(&mut self) {
        let hashes = self.raw_hashes().unwrap_or_default();
        self.copy(hashes + 2);
        let close = format!("\"{}", "#".repeat(hashes));
        let rest = &self.source[self.at..];
        let end = rest.find(&close).unwrap_or(rest.len());
        self.literal(self.at + end);
        self.copy(close.len());
    }

    /// A character literal, or a lifetime.
    fn character(&mut self) {
        let rest = &self.source[self.at + 1..];
        let length = match rest.chars().next() {
            Some('\\') => rest.get(2..).and_then(|after| after.find('\'')).map(|end| end + 2),
            Some(letter) => rest[letter.len_utf8()..].starts_with('\'').then(|| letter.len_utf8()),
            None => None,
        };
        self.copy(1);
        if let Some(length) = length {
            self.blank(self.at + length);
            self.copy(1);
        }
    }

    /// Whether a slash starts a regular expression: after an operator, not after a value.
    fn is_regex(&self) -> bool {
        matches!(
            self.last_code,
            b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b';' | b'\n'
        )
    }

    fn regex(&mut self) {
        let mut end = self.at + 1;
        let mut in_class = false;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\n' => break,
                b'\\' => end += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            end += 1;
        }
        self.blank(end + 1);
        self.last_code = b'/';
    }
}
