//! Splits a stream into lines of limited length.

use std::io::BufRead;

/// The capacity, in bytes, that is kept from one line to the next.
const RETAINED_CAPACITY: usize = 256 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of an incomplete line.
#[derive(Debug)]
pub(super) struct LineBuffer {
    partial: Vec<u8>,
    limit: usize,
    is_first: bool,
}

/// A line is longer than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl LineBuffer {
    pub(super) fn new(limit: usize) -> Self {
        Self { partial: Vec::new(), limit, is_first: true }
    }

    /// Adds bytes, and passes every complete line to `on_line`, without its line feed. Each byte is
    /// read once.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut on_line: impl FnMut(&[u8]),
    ) -> Result<(), TooLong> {
        while let Some((line, rest)) = split(bytes) {
            if self.partial.len() + line.len() > self.limit {
                return self.overflow();
            }
            let is_first = std::mem::take(&mut self.is_first);
            if self.partial.is_empty() {
                on_line(plain(line, is_first));
            } else {
                self.partial.extend_from_slice(line);
                on_line(plain(&self.partial, is_first));
                self.partial.clear();
                self.partial.shrink_to(RETAINED_CAPACITY);
            }
            bytes = rest;
        }
        if self.partial.len() + bytes.len() > self.limit {
            return self.overflow();
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    #[cfg(all(test, unix))]
    pub(super) fn capacity(&self) -> usize {
        self.partial.capacity()
    }

    fn overflow(&mut self) -> Result<(), TooLong> {
        self.partial = Vec::new();
        Err(TooLong)
    }
}

/// The parts before and after the first line feed. The search is that of the standard library,
/// which processes many bytes at a time.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let skipped = rest.skip_until(b'\n').ok()?;
    let line = bytes[..skipped].strip_suffix(b"\n")?;
    Some((line, rest))
}

/// Removes a byte order mark, which some programs write at the start of their output.
fn plain(line: &[u8], is_first: bool) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line)
}
