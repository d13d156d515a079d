//! Reads what is new in a journal, to copy it elsewhere.

use super::head::{self, HeadState};
use super::line::{ChainPosition, JournalLine};
use super::{append, paths};
use crate::sqlite::file::if_exists;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use toolscout_core::Store;

/// A line of a journal, in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedLine {
    /// Its number and hash.
    pub position: ChainPosition,
    /// The start of the event; RFC 3339.
    pub at: String,
    /// The kind of the event.
    pub kind: String,
    /// The whole line, without a line end.
    pub text: String,
}

impl FollowedLine {
    pub(super) fn new(line: &JournalLine<'_>, text: &str) -> Self {
        Self {
            position: line.position(),
            at: line.start.at.to_owned(),
            kind: line.start.kind.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// Reads the lines of a journal in order, and goes on as it grows. Reads only lines that the head
/// covers: a line beyond it may be cut off again.
#[derive(Debug)]
pub struct JournalFollower {
    dir: PathBuf,
    /// Lines up to this number are skipped.
    after: u64,
    /// The segment and the offset of the next line; none before the first read.
    next: Option<(u32, u64)>,
}

impl JournalFollower {
    /// Follows the journal in this state folder, after the line with this number; opens nothing.
    pub fn new(state: &Path, after: u64) -> Self {
        Self { dir: super::dir(state), after, next: None }
    }

    /// The number of the last line of the journal; 0 if it is empty.
    pub fn last(&self, store: &dyn Store) -> io::Result<u64> {
        Ok(match head::read_head(&self.dir, &append::key(store)?)? {
            HeadState::Head(head) => head.last.n,
            _ => 0,
        })
    }

    /// The next lines, at most `limit`; fewer if there are no more.
    pub fn read(&mut self, store: &dyn Store, limit: usize) -> io::Result<Vec<FollowedLine>> {
        let key = append::key(store)?;
        let HeadState::Head(head) = head::read_head(&self.dir, &key)? else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::new();
        let (mut segment, mut offset) = match self.next {
            Some(next) => next,
            None => (self.first_segment(head.first, head.segment)?, 0),
        };
        while segment <= head.segment {
            let mut file = match if_exists(File::open(paths::segment(&self.dir, segment)))? {
                Some(file) => BufReader::new(file),
                // Deleted to make room.
                None => {
                    (segment, offset) = (segment + 1, 0);
                    continue;
                }
            };
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            while lines.len() < limit && file.read_until(b'\n', &mut bytes)? > 0 {
                let is_written = segment < head.segment || offset < head.length;
                if !is_written || bytes.last() != Some(&b'\n') {
                    break;
                }
                offset += bytes.len() as u64;
                let text = std::str::from_utf8(&bytes[..bytes.len() - 1]).unwrap_or_default();
                if let Some(line) = JournalLine::read(text)
                    && line.start.n > self.after
                {
                    self.after = line.start.n;
                    lines.push(FollowedLine::new(&line, text));
                }
                bytes.clear();
            }
            self.next = Some((segment, offset));
            if lines.len() == limit || segment == head.segment {
                break;
            }
            (segment, offset) = (segment + 1, 0);
        }
        Ok(lines)
    }

    /// The segment of the line after `after`.
    fn first_segment(&self, first: u32, last: u32) -> io::Result<u32> {
        for segment in (first..=last).rev() {
            let number = super::reader::first_line_number(&self.dir, segment)?;
            if number.is_some_and(|number| number <= self.after + 1) {
                return Ok(segment);
            }
        }
        Ok(first)
    }
}
