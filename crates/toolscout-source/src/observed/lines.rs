//! Finds the few lines that may name tools, without parsing the others.

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use std::sync::LazyLock;

/// Maximum length of a line in bytes; longer ones are skipped.
pub(super) const LONGEST: usize = 4 << 20;

/// Every message that names tools contains one of these, and few others do.
static MARKS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(b"\"tool_use\""), Finder::new(b"\"init\"")]);

/// The current incomplete line.
#[derive(Default)]
pub(super) struct TranscriptLines {
    begun: Vec<u8>,
    /// Whether the line exceeds the limit and is skipped.
    is_long: bool,
}

impl TranscriptLines {
    pub(super) fn feed(&mut self, bytes: &[u8], mut look: impl FnMut(&[u8])) {
        let Some(last) = memrchr(b'\n', bytes) else { return self.keep(bytes) };
        let (mut whole, rest) = bytes.split_at(last + 1);
        if self.is_long || !self.begun.is_empty() {
            let end = memchr(b'\n', whole).unwrap_or(last);
            self.keep(&whole[..end]);
            self.finish(&mut look);
            whole = &whole[end + 1..];
        }
        each_marked(whole, look);
        self.keep(rest);
    }

    /// The number of buffered bytes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.begun.len()
    }

    /// Ends the line, or the input.
    pub(super) fn finish(&mut self, look: impl FnMut(&[u8])) {
        if !self.is_long {
            each_marked(&self.begun, look);
        }
        self.begun.clear();
        self.is_long = false;
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_long |= self.begun.len() + bytes.len() > LONGEST;
        if self.is_long { self.begun = Vec::new() } else { self.begun.extend_from_slice(bytes) }
    }
}

/// Calls `look` once for each line that contains a mark.
fn each_marked(lines: &[u8], mut look: impl FnMut(&[u8])) {
    let next = |from: usize, mark: &Finder<'_>| {
        mark.find(&lines[from..]).map_or(usize::MAX, |it| from + it)
    };
    let mut marked = MARKS.each_ref().map(|it| next(0, it));
    loop {
        let at = marked[0].min(marked[1]);
        if at == usize::MAX {
            return;
        }
        let start = memrchr(b'\n', &lines[..at]).map_or(0, |it| it + 1);
        let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |it| at + it);
        if end - start <= LONGEST {
            look(&lines[start..end]);
        }
        for (place, mark) in marked.iter_mut().zip(&*MARKS) {
            if *place < end {
                *place = next(end, mark);
            }
        }
    }
}
