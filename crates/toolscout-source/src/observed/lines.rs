//! Finds the few lines that may name tools, without parsing the others.

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use std::sync::LazyLock;

/// Maximum length of a line in bytes; longer ones are skipped.
pub(super) const MAX_LINE_BYTES: usize = 4 << 20;

/// Every message that names tools contains one of these, and few others do.
static MARKERS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(b"\"tool_use\""), Finder::new(b"\"init\"")]);

/// The current incomplete line.
#[derive(Default)]
pub(super) struct TranscriptLines {
    partial: Vec<u8>,
    /// Whether the line exceeds the limit and is skipped.
    is_long: bool,
}

impl TranscriptLines {
    pub(super) fn feed(&mut self, bytes: &[u8], mut inspect: impl FnMut(&[u8])) {
        let Some(last) = memrchr(b'\n', bytes) else { return self.buffer(bytes) };
        let (mut complete, rest) = bytes.split_at(last + 1);
        if self.is_long || !self.partial.is_empty() {
            let end = memchr(b'\n', complete).unwrap_or(last);
            self.buffer(&complete[..end]);
            self.finish(&mut inspect);
            complete = &complete[end + 1..];
        }
        for_each_marked(complete, inspect);
        self.buffer(rest);
    }

    /// The number of buffered bytes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.partial.len()
    }

    /// Ends the line, or the input.
    pub(super) fn finish(&mut self, inspect: impl FnMut(&[u8])) {
        if !self.is_long {
            for_each_marked(&self.partial, inspect);
        }
        self.partial.clear();
        self.is_long = false;
    }

    fn buffer(&mut self, bytes: &[u8]) {
        self.is_long |= self.partial.len() + bytes.len() > MAX_LINE_BYTES;
        if self.is_long { self.partial = Vec::new() } else { self.partial.extend_from_slice(bytes) }
    }
}

/// Calls `inspect` once for each line that contains a mark.
fn for_each_marked(lines: &[u8], mut inspect: impl FnMut(&[u8])) {
    let next = |from: usize, marker: &Finder<'_>| {
        marker.find(&lines[from..]).map_or(usize::MAX, |index| from + index)
    };
    let mut next_markers = MARKERS.each_ref().map(|marker| next(0, marker));
    loop {
        let at = next_markers[0].min(next_markers[1]);
        if at == usize::MAX {
            return;
        }
        let start = memrchr(b'\n', &lines[..at]).map_or(0, |index| index + 1);
        let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |index| at + index);
        if end - start <= MAX_LINE_BYTES {
            inspect(&lines[start..end]);
        }
        for (position, marker) in next_markers.iter_mut().zip(&*MARKERS) {
            if *position < end {
                *position = next(end, marker);
            }
        }
    }
}
