//! Notices a message that was spread over several lines.

/// Follows the lines that are no messages. A message must be on one line, so one that is not is lost; but when its first
/// lines show whose answer it would have been, that request need not wait for its deadline.
#[derive(Debug, Default)]
pub(super) struct SplitMessage {
    is_open: bool,
    has_version: bool,
    id: Option<u64>,
}

impl SplitMessage {
    /// Takes the next line; gives the request that just turned out to be answered this way.
    pub(super) fn line(&mut self, line: &[u8]) -> Option<u64> {
        if line == b"{" {
            *self = Self { is_open: true, ..Self::default() };
            return None;
        }
        let member = member(line).filter(|_| self.is_open);
        match member {
            Some((b"\"jsonrpc\"", _)) => self.has_version = true,
            Some((b"\"id\"", value)) => self.id = std::str::from_utf8(value).ok().and_then(|it| it.parse().ok()),
            _ => *self = Self::default(),
        }
        let id = self.id.filter(|_| self.has_version);
        if id.is_some() {
            *self = Self::default();
        }
        id
    }
}

/// `"key": value,` without the comma.
fn member(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b",").unwrap_or(line);
    let colon = line.iter().position(|it| *it == b':')?;
    Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
}
