//! Detects a message that is split over several lines.

/// Tracks the lines that are not messages. A message must be on one line, so a split message is
/// lost. If its first lines contain the id of a request, that request can fail at once instead of
/// waiting for its deadline.
#[derive(Debug, Default)]
pub(super) struct SplitMessage {
    is_open: bool,
    has_version: bool,
    id: Option<u64>,
}

impl SplitMessage {
    /// Reads the next line; returns the id of a request that turns out to be answered by a split
    /// message.
    pub(super) fn line(&mut self, line: &[u8]) -> Option<u64> {
        if line == b"{" {
            *self = Self { is_open: true, ..Self::default() };
            return None;
        }
        let member = member(line).filter(|_| self.is_open);
        match member {
            Some((b"\"jsonrpc\"", _)) => self.has_version = true,
            Some((b"\"id\"", value)) => {
                self.id = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok())
            }
            _ => *self = Self::default(),
        }
        let id = self.id.filter(|_| self.has_version);
        if id.is_some() {
            *self = Self::default();
        }
        id
    }
}

/// Splits `"key": value,` into key and value, without the comma.
fn member(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b",").unwrap_or(line);
    let colon = line.iter().position(|line| *line == b':')?;
    Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
}
