//! Tools that were only observed in the messages of an agent that has them: known by name, found by
//! search, and not callable here.
//!
//! Start reading at [`TranscriptObserver::feed`], which reads messages as they pass; [`Observed`]
//! stores the tools, and [`ObservedSource`] lists them.

mod known_names;
mod lines;
mod message;
mod record;
mod seen_tools;
mod source;

#[cfg(test)]
mod tests;

pub use record::Observed;
pub use seen_tools::SeenTool;
pub use source::ObservedSource;

use lines::TranscriptLines;
use seen_tools::SeenTools;
use std::io::{self, Read, Write};

/// Bytes that are forwarded at a time.
const BLOCK_BYTES: usize = 256 << 10;

/// Reads an agent's messages as they pass, one per line: those of Claude Code's `stream-json` and
/// of the Claude Agent SDK. Memory is constant for any length of a line or of a stream, and no
/// input is an error.
pub struct TranscriptObserver {
    server: Option<String>,
    lines: TranscriptLines,
    seen: SeenTools,
}

impl TranscriptObserver {
    /// An observer that has seen nothing yet. `server` is assigned to tools whose names contain no
    /// server.
    pub fn new(server: Option<&str>) -> Self {
        Self {
            server: server.map(str::to_owned),
            lines: TranscriptLines::default(),
            seen: SeenTools::default(),
        }
    }

    /// Reads the next bytes; they may start and end anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let (server, seen) = (self.server.as_deref(), &mut self.seen);
        self.lines.feed(bytes, |line| message::collect_tools(line, server, seen));
    }

    /// All observed tools, each once, in order of appearance.
    pub fn finish(mut self) -> Vec<SeenTool> {
        let (server, seen) = (self.server.as_deref(), &mut self.seen);
        self.lines.finish(|line| message::collect_tools(line, server, seen));
        self.seen.into_tools()
    }

    /// Forwards everything unchanged and observes it. Forwards available bytes at once, before they
    /// are inspected. Blocks.
    pub fn forward(&mut self, mut from: impl Read, mut to: impl Write) -> io::Result<()> {
        let mut block = vec![0; BLOCK_BYTES];
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
