//! Parses an event stream (SSE), independent of how its bytes are split into chunks.

use super::super::ClientError;
use super::response::connection_error;
use reqwest::Response;
use std::ops::ControlFlow;
use std::time::Duration;
use toolscout_process::explain;

/// The number of bytes a line may have besides its data: the field name.
const MAX_FIELD_NAME: usize = 64;
/// The longest event name and id, in bytes; longer ones are ignored.
const MAX_NAME: usize = 512;
/// The capacity, in bytes, that is kept from one event to the next.
const RETAINED_CAPACITY: usize = 64 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    /// The event name; `message` by default.
    pub(crate) name: &'a str,
    /// The data, with lines joined.
    pub(crate) data: &'a [u8],
}

/// The state of an event stream parser. Comments may have any length; events have a limit.
#[derive(Debug)]
pub(crate) struct SseParser {
    limit: usize,
    /// The incomplete current line.
    line: Vec<u8>,
    is_comment: bool,
    after_carriage_return: bool,
    is_first_line: bool,
    name: String,
    data: Option<Vec<u8>>,
    /// Whether `data` still contains the event returned last.
    was_returned: bool,
    id: Option<String>,
    retry: Option<Duration>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SseEventTooLarge;

impl SseParser {
    /// Creates a parser for a stream whose events have at most this many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            is_comment: false,
            after_carriage_return: false,
            is_first_line: true,
            name: String::new(),
            data: None,
            was_returned: false,
            id: None,
            retry: None,
        }
    }

    /// Consumes bytes from the front up to the next complete event, and returns it. `None` means
    /// that more bytes are needed.
    pub(crate) fn next(
        &mut self,
        bytes: &mut &[u8],
    ) -> Result<Option<SseEvent<'_>>, SseEventTooLarge> {
        self.clear_returned();
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                *bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.buffer(std::mem::take(bytes))?;
                break;
            };
            self.buffer(&bytes[..end])?;
            self.after_carriage_return = bytes[end] == b'\r';
            *bytes = &bytes[end + 1..];
            if self.finish_line() {
                self.was_returned = true;
                let name = if self.name.is_empty() { "message" } else { &self.name };
                return Ok(Some(SseEvent { name, data: self.data.as_deref().unwrap_or_default() }));
            }
        }
        Ok(None)
    }

    /// The id of the last event that had one, from which a broken stream can be resumed.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The pause before a broken stream is resumed, if the server names one.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The parser for the resumed stream: an incomplete event is lost, the last id stays.
    pub(crate) fn resumed(self) -> Self {
        Self { id: self.id, retry: self.retry, ..Self::new(self.limit) }
    }

    fn clear_returned(&mut self) {
        if std::mem::take(&mut self.was_returned) {
            self.data = None;
            self.name.clear();
            self.line.shrink_to(RETAINED_CAPACITY);
        }
    }

    fn buffer(&mut self, part: &[u8]) -> Result<(), SseEventTooLarge> {
        if self.is_comment || (self.line.is_empty() && part.first() == Some(&b':')) {
            self.is_comment = true;
            return Ok(());
        }
        let buffered = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
        if buffered + part.len() > self.limit + MAX_FIELD_NAME {
            return Err(SseEventTooLarge);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    /// Adds the line to the event; returns whether the event is complete.
    fn finish_line(&mut self) -> bool {
        if std::mem::take(&mut self.is_comment) {
            return false;
        }
        if std::mem::take(&mut self.is_first_line) && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        if self.line.is_empty() {
            if self.data.is_none() {
                self.name.clear();
            }
            return self.data.is_some();
        }
        let line = std::mem::take(&mut self.line);
        let (field, value) = split(&line);
        self.set_field(field, value);
        self.line = line;
        self.line.clear();
        false
    }

    fn set_field(&mut self, field: &[u8], value: &[u8]) {
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" if value.len() <= MAX_NAME => {
                self.name = String::from_utf8_lossy(value).into_owned()
            }
            // The id is sent back in a header, so it must be valid there.
            b"id"
                if value.len() <= MAX_NAME
                    && value.iter().all(|value| matches!(value, b' '..=b'~')) =>
            {
                self.id = std::str::from_utf8(value)
                    .ok()
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned);
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let text = std::str::from_utf8(value).unwrap_or_default();
                self.retry = text.parse().ok().map(Duration::from_millis);
            }
            _ => {}
        }
    }
}

/// Passes each event of the response to `on_event` as it arrives, until `on_event` breaks or the stream
/// ends.
pub(crate) async fn read(
    response: &mut Response,
    events: &mut SseParser,
    from: &str,
    mut on_event: impl FnMut(SseEvent<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ClientError> {
    while let Some(chunk) = response.chunk().await.map_err(|err| connection_error(from, err))? {
        let mut bytes = &chunk[..];
        let limit = events.limit;
        while let Some(event) =
            events.next(&mut bytes).map_err(|SseEventTooLarge| too_large(from, limit))?
        {
            if on_event(event).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn too_large(from: &str, limit: usize) -> ClientError {
    let limit = explain::byte_count(limit);
    ClientError::protocol(format!("`{from}` sent an event of more than {limit}"))
}

fn split(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|&line| line == b':') {
        Some(at) => {
            let value = &line[at + 1..];
            (&line[..at], value.strip_prefix(b" ").unwrap_or(value))
        }
        None => (line, b""),
    }
}
