//! Finds and repairs the end of the journal: the position of the next line, whatever happened to
//! the last ones.

use super::head::{HeadState, JournalHead, LockedHead};
use super::line::{ChainPosition, JournalLine, MAX_LINE_BYTES};
use super::reader::last_sealed;
use super::{SEGMENT, paths};
use crate::sqlite::file::open_private;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// More bytes than this beyond the head were not written by a process that was killed.
const MAX_UNRECORDED_BYTES: u64 = 4 * SEGMENT;

/// The position of the next line.
pub(super) struct JournalTail {
    pub(super) file: File,
    pub(super) head: JournalHead,
    /// Repairs, to be recorded before the next records.
    pub(super) repairs: Vec<String>,
}

impl JournalTail {
    /// Opens the current segment. If it matches the head, which is nearly always the case, none of
    /// it is read.
    pub(super) fn find(dir: &Path, key: &[u8; 32], locked: &mut LockedHead) -> io::Result<Self> {
        let (head, mut repairs) = match locked.read(key)? {
            HeadState::Head(head) => (head, Vec::new()),
            other => {
                let (head, repairs) = rebuild_head(dir, key, other)?;
                // Written before the first line, so that a process killed after its first lines
                // leaves a head that they follow.
                if repairs.is_empty() {
                    locked.write(head, key)?;
                }
                (head, repairs)
            }
        };
        let mut tail = Self { file: open(dir, head.segment)?, head, repairs: Vec::new() };
        if !repairs.is_empty() {
            tail.terminate_line(head.length)?;
        }
        tail.repair(dir, key)?;
        repairs.append(&mut tail.repairs);
        Ok(Self { repairs, ..tail })
    }

    /// Continues in the next file.
    pub(super) fn rotate(&mut self, dir: &Path, key: &[u8; 32]) -> io::Result<()> {
        (self.head.segment, self.head.length) = (self.head.segment + 1, 0);
        self.file = open(dir, self.head.segment)?;
        self.repair(dir, key)
    }

    /// Repairs the end of the file, so that a line can begin there.
    fn repair(&mut self, dir: &Path, key: &[u8; 32]) -> io::Result<()> {
        let size = self.file.metadata()?.len();
        match size.cmp(&self.head.length) {
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Less => {
                self.repairs.push("the end of the file was cut off".to_owned());
                self.head.length = size;
                self.terminate_line(size)?;
            }
            std::cmp::Ordering::Greater => self.adopt_lines(dir, key, size)?,
        }
        self.file.seek(SeekFrom::Start(self.head.length)).map(drop)
    }

    /// Adopts lines beyond the head: a process was killed after writing them and before updating
    /// the head. The last one may be incomplete.
    fn adopt_lines(&mut self, dir: &Path, key: &[u8; 32], size: u64) -> io::Result<()> {
        if size - self.head.length > MAX_UNRECORDED_BYTES {
            self.repairs.push("another program has written to the file".to_owned());
            self.head.length = size;
            return self.terminate_line(size);
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.head.length))?;
        (&self.file).take(MAX_UNRECORDED_BYTES).read_to_end(&mut bytes)?;
        let (taken, last) = valid_prefix(&bytes, key, self.head.last);
        (self.head.last, self.head.length) = (last, self.head.length + taken as u64);
        let rest = &bytes[taken..];
        if rest.is_empty() {
            return Ok(());
        }
        if rest.contains(&b'\n') {
            self.repairs.push("another program has written to the file".to_owned());
            self.head.length = size;
            return self.terminate_line(size);
        }
        self.repairs.push(format!("an incomplete record of {} bytes was set aside", rest.len()));
        let mut partial_file = open_private(&paths::partial_line(dir))?;
        partial_file.set_len(0)?;
        partial_file.write_all(&rest[..rest.len().min(MAX_LINE_BYTES)])?;
        self.file.set_len(self.head.length)
    }

    /// Leaves the existing bytes in place and terminates them as a line.
    fn terminate_line(&mut self, size: u64) -> io::Result<()> {
        let mut last = [b'\n'];
        if size > 0 {
            self.file.seek(SeekFrom::Start(size - 1))?;
            self.file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            self.file.seek(SeekFrom::Start(size))?;
            self.file.write_all(b"\n")?;
            self.head.length = size + 1;
        }
        Ok(())
    }
}

/// The leading lines that continue the chain from this position: their length in bytes, and the
/// position of the last.
fn valid_prefix(
    bytes: &[u8],
    key: &[u8; 32],
    mut position: ChainPosition,
) -> (usize, ChainPosition) {
    let mut taken = 0;
    for line_bytes in bytes.split_inclusive(|byte| *byte == b'\n') {
        let line = line_bytes
            .strip_suffix(b"\n")
            .and_then(|rest| std::str::from_utf8(rest).ok())
            .and_then(JournalLine::read);
        let Some(line) = line.filter(|line| line.follows(position) && line.is_sealed(key)) else {
            break;
        };
        (taken, position) = (taken + line_bytes.len(), line.position());
    }
    (taken, position)
}

/// Recreates a lost head from the last valid line. Lines that may have followed it cannot be
/// detected.
fn rebuild_head(
    dir: &Path,
    key: &[u8; 32],
    found: HeadState,
) -> io::Result<(JournalHead, Vec<String>)> {
    let segments = paths::segments(dir)?;
    let state = match found {
        HeadState::Changed => "was changed",
        _ => "was missing",
    };
    let Some((&first, &segment)) = segments.first().zip(segments.last()) else {
        let is_new = found == HeadState::Nothing;
        return Ok((
            JournalHead::START,
            (!is_new).then(|| format!("{HEAD_REPAIR} {state}")).into_iter().collect(),
        ));
    };
    let last = last_sealed(dir, &segments, key)?.unwrap_or(ChainPosition::START);
    let from = super::reader::first_line_number(dir, first)?.unwrap_or(1);
    let length = fs::metadata(paths::segment(dir, segment))?.len();
    Ok((JournalHead { last, segment, length, first, from }, vec![format!("{HEAD_REPAIR} {state}")]))
}

/// Prefix of the repair record for a lost head.
pub(super) const HEAD_REPAIR: &str = "the head of it";

fn open(dir: &Path, segment: u32) -> io::Result<File> {
    open_private(&paths::segment(dir, segment))
}
