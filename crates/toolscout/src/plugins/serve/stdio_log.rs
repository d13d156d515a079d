//! A log of the messages over standard input and output, with secrets redacted.

use super::pipes::{Input, Output};
use crate::{AppError, RunCx};
use parking_lot::Mutex;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use toolscout_core::{Moment, escape, redact};

/// Number of bytes of a message that are logged, after secrets are redacted.
const MAX_LOGGED_BYTES: usize = 64 << 10;

/// The size of a message that is redacted. Of a larger one only the size is logged, because half
/// a message cannot be redacted.
const MAX_REDACTED_BYTES: usize = 8 << 20;

/// Where the messages are logged.
#[derive(Clone)]
struct StdioLog(Arc<Mutex<Box<dyn Write + Send>>>);

/// The two streams, logged if `--log-stdio` or `--log-stdio-to` is given.
pub(super) fn logged(
    cx: &RunCx,
    input: Input,
    output: Output,
) -> Result<(Input, Output), AppError> {
    let log: Box<dyn Write + Send> = match cx.parsed.text("log-stdio-to") {
        Some(file) => Box::new(open(&cx.environment().cwd().join(file))?),
        None if cx.parsed.switch("log-stdio") => Box::new(io::stderr()),
        None => return Ok((input, output)),
    };
    let log = StdioLog(Arc::new(Mutex::new(log)));
    let lines = |direction| LoggedLines { direction, log: log.clone(), line: Vec::new(), bytes: 0 };
    let (received, sent) = (lines("received"), lines("sent"));
    Ok((
        Box::new(Logged { stream: input, lines: received }),
        Box::new(Logged { stream: output, lines: sent }),
    ))
}

/// Opens the file for appending; a new file is readable only by its owner.
fn open(path: &Path) -> Result<std::fs::File, AppError> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(AppError::io("open", path))
}

/// Splits one direction of a connection into lines, and logs them.
struct LoggedLines {
    direction: &'static str,
    log: StdioLog,
    line: Vec<u8>,
    /// The length of the line so far; it is stored up to the limit.
    bytes: usize,
}

impl LoggedLines {
    fn add(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_REDACTED_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            self.bytes += part.len();
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// A failure to write is ignored: the log must not end the session.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let bytes = std::mem::take(&mut self.bytes);
        if line.trim_ascii().is_empty() {
            return;
        }
        let message = if bytes > line.len() {
            String::new()
        } else {
            redacted(&String::from_utf8_lossy(line.trim_ascii()))
        };
        let end = message.floor_char_boundary(MAX_LOGGED_BYTES);
        let is_whole = end == message.len() && bytes == line.len();
        let size = if is_whole { String::new() } else { format!(" ({bytes} bytes)") };
        let mut log = self.log.0.lock();
        let _ = writeln!(log, "{} {}: {}{size}", Moment::now(), self.direction, &message[..end]);
        let _ = log.flush();
    }
}

/// The last line may have no end.
impl Drop for LoggedLines {
    fn drop(&mut self) {
        self.end_line();
    }
}

fn redacted(line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(message) => {
            let mut message = redact::json(&message);
            redact_texts(&mut message);
            escape::json(&message.to_string()).into_owned()
        }
        Err(_) => escape::line(&redact::text(line)).into_owned(),
    }
}

/// Redacts secrets inside texts, such as the JSON in the text of a tool result.
fn redact_texts(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact::text(text),
        Value::Array(values) => values.iter_mut().for_each(redact_texts),
        Value::Object(members) => members.values_mut().for_each(redact_texts),
        _ => {}
    }
}

/// A stream whose lines are logged.
struct Logged<S> {
    stream: S,
    lines: LoggedLines,
}

impl AsyncRead for Logged<Input> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.lines.add(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Logged<Output> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.lines.add(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
