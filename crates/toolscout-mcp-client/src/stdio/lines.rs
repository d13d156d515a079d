//! Cuts a stream into lines, none of them longer than allowed.

use std::io::BufRead;

/// Lines keep at most this much room between them.
const KEPT: usize = 256 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes that are not yet a whole line.
#[derive(Debug)]
pub(super) struct LineBuffer {
    begun: Vec<u8>,
    limit: usize,
    is_first: bool,
}

/// A line is longer than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl LineBuffer {
    pub(super) fn new(limit: usize) -> Self {
        Self { begun: Vec::new(), limit, is_first: true }
    }

    /// Takes bytes, and gives every complete line, without its line feed. Each byte is read once.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), TooLong> {
        while let Some((line, rest)) = split(bytes) {
            if self.begun.len() + line.len() > self.limit {
                return self.give_up();
            }
            let is_first = std::mem::take(&mut self.is_first);
            if self.begun.is_empty() {
                each(plain(line, is_first));
            } else {
                self.begun.extend_from_slice(line);
                each(plain(&self.begun, is_first));
                self.begun.clear();
                self.begun.shrink_to(KEPT);
            }
            bytes = rest;
        }
        if self.begun.len() + bytes.len() > self.limit {
            return self.give_up();
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }

    #[cfg(all(test, unix))]
    pub(super) fn room(&self) -> usize {
        self.begun.capacity()
    }

    fn give_up(&mut self) -> Result<(), TooLong> {
        self.begun = Vec::new();
        Err(TooLong)
    }
}

/// What is before the first line feed, and what is behind it. Looked for by the standard library, which takes many bytes at
/// a time.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let skipped = rest.skip_until(b'\n').ok()?;
    let line = bytes[..skipped].strip_suffix(b"\n")?;
    Some((line, rest))
}

/// Some programs mark the beginning of all they say; once is forgiven.
fn plain(line: &[u8], is_first: bool) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line)
}
