//! Tools that were only seen, in the messages of an agent that has them: known by name, found by search, and not callable here.
//!
//! Start reading at [`TranscriptObserver::feed`], which looks on while messages pass; [`Observed`] remembers what it saw, and
//! [`ObservedSource`] shows it.

mod lines;
mod message;
mod news;
mod record;
mod seen;
mod source;

#[cfg(test)]
mod tests;

pub use record::Observed;
pub use seen::SeenTool;
pub use source::ObservedSource;

use lines::TranscriptLines;
use seen::SeenTools;
use std::io::{self, Read, Write};

/// Bytes that are passed on at a time.
const BLOCK: usize = 256 << 10;

/// Looks on while an agent's messages pass, a line each: those of Claude Code's `stream-json` and of the Claude Agent SDK. Needs
/// the same memory for any length of a line or of a stream, and fails at nothing.
pub struct TranscriptObserver {
    server: Option<String>,
    lines: TranscriptLines,
    seen: SeenTools,
}

impl TranscriptObserver {
    /// Nothing seen yet. `server` has the tools whose names do not say whose they are.
    pub fn new(server: Option<&str>) -> Self {
        Self { server: server.map(str::to_owned), lines: TranscriptLines::default(), seen: SeenTools::default() }
    }

    /// Looks at what comes next; it may begin and end anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let (server, seen) = (self.server.as_deref(), &mut self.seen);
        self.lines.feed(bytes, |line| message::look(line, server, seen));
    }

    /// All tools that were seen, each once, in the order they came.
    pub fn finish(mut self) -> Vec<SeenTool> {
        let (server, seen) = (self.server.as_deref(), &mut self.seen);
        self.lines.finish(|line| message::look(line, server, seen));
        self.seen.into_tools()
    }

    /// Passes everything on as it is, and looks on. What is there is passed on at once, and before anybody looks at it. Blocks.
    pub fn pass_on(&mut self, mut from: impl Read, mut to: impl Write) -> io::Result<()> {
        let mut block = vec![0; BLOCK];
        loop {
            let count = match from.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            to.write_all(&block[..count])?;
            to.flush()?;
            self.feed(&block[..count]);
        }
    }
}
