//! Finds and repairs the end of the journal: the position of the next line, whatever happened to
//! the last ones.

use super::head::{HeadState, JournalHead, LockedHead};
use super::line::{ChainPosition, JournalLine, LONGEST};
use super::reader::last_sealed;
use super::{SEGMENT, folder};
use crate::sqlite::file::open_private;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// More bytes than this beyond the head were not written by a process that was killed.
const UNSAID: u64 = 4 * SEGMENT;

/// The position of the next line.
pub(super) struct JournalTail {
    pub(super) file: File,
    pub(super) head: JournalHead,
    /// Repairs, to be recorded before the next records.
    pub(super) mended: Vec<String>,
}

impl JournalTail {
    /// Opens the current segment. If it matches the head, which is nearly always the case, none of
    /// it is read.
    pub(super) fn find(dir: &Path, key: &[u8; 32], locked: &mut LockedHead) -> io::Result<Self> {
        let (head, mut mended) = match locked.read(key)? {
            HeadState::Head(head) => (head, Vec::new()),
            other => {
                let (head, mended) = anew(dir, key, other)?;
                // Written before the first line, so that a process killed after its first lines
                // leaves a head that they follow.
                if mended.is_empty() {
                    locked.write(head, key)?;
                }
                (head, mended)
            }
        };
        let mut tail = Self { file: open(dir, head.segment)?, head, mended: Vec::new() };
        if !mended.is_empty() {
            tail.end_line(head.length)?;
        }
        tail.settle(dir, key)?;
        mended.append(&mut tail.mended);
        Ok(Self { mended, ..tail })
    }

    /// Continues in the next file.
    pub(super) fn turn_over(&mut self, dir: &Path, key: &[u8; 32]) -> io::Result<()> {
        (self.head.segment, self.head.length) = (self.head.segment + 1, 0);
        self.file = open(dir, self.head.segment)?;
        self.settle(dir, key)
    }

    /// Repairs the end of the file, so that a line can begin there.
    fn settle(&mut self, dir: &Path, key: &[u8; 32]) -> io::Result<()> {
        let size = self.file.metadata()?.len();
        match size.cmp(&self.head.length) {
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Less => {
                self.mended.push("the end of it was cut off".to_owned());
                self.head.length = size;
                self.end_line(size)?;
            }
            std::cmp::Ordering::Greater => self.take_up(dir, key, size)?,
        }
        self.file.seek(SeekFrom::Start(self.head.length)).map(drop)
    }

    /// Adopts lines beyond the head: a process was killed after writing them and before updating
    /// the head. The last one may be incomplete.
    fn take_up(&mut self, dir: &Path, key: &[u8; 32], size: u64) -> io::Result<()> {
        if size - self.head.length > UNSAID {
            self.mended.push("something else has written to it".to_owned());
            self.head.length = size;
            return self.end_line(size);
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.head.length))?;
        (&self.file).take(UNSAID).read_to_end(&mut bytes)?;
        let (taken, last) = following(&bytes, key, self.head.last);
        (self.head.last, self.head.length) = (last, self.head.length + taken as u64);
        let rest = &bytes[taken..];
        if rest.is_empty() {
            return Ok(());
        }
        if rest.contains(&b'\n') {
            self.mended.push("something else has written to it".to_owned());
            self.head.length = size;
            return self.end_line(size);
        }
        self.mended.push(format!("half a record, of {} bytes, was set aside", rest.len()));
        let mut aside = open_private(&folder::half(dir))?;
        aside.set_len(0)?;
        aside.write_all(&rest[..rest.len().min(LONGEST)])?;
        self.file.set_len(self.head.length)
    }

    /// Leaves the existing bytes in place and terminates them as a line.
    fn end_line(&mut self, size: u64) -> io::Result<()> {
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
fn following(bytes: &[u8], key: &[u8; 32], mut place: ChainPosition) -> (usize, ChainPosition) {
    let mut taken = 0;
    for piece in bytes.split_inclusive(|it| *it == b'\n') {
        let line = piece
            .strip_suffix(b"\n")
            .and_then(|it| std::str::from_utf8(it).ok())
            .and_then(JournalLine::read);
        let Some(line) = line.filter(|it| it.follows(place) && it.is_sealed(key)) else { break };
        (taken, place) = (taken + piece.len(), line.place());
    }
    (taken, place)
}

/// Recreates a lost head from the last valid line. Lines that may have followed it cannot be
/// detected.
fn anew(dir: &Path, key: &[u8; 32], found: HeadState) -> io::Result<(JournalHead, Vec<String>)> {
    let segments = folder::segments(dir)?;
    let how = match found {
        HeadState::Changed => "was changed",
        _ => "was missing",
    };
    let Some((&first, &segment)) = segments.first().zip(segments.last()) else {
        let is_new = found == HeadState::Nothing;
        return Ok((
            JournalHead::START,
            (!is_new).then(|| format!("{HEAD} {how}")).into_iter().collect(),
        ));
    };
    let last = last_sealed(dir, &segments, key)?.unwrap_or(ChainPosition::START);
    let from = super::reader::first_of(dir, first)?.unwrap_or(1);
    let length = fs::metadata(folder::segment(dir, segment))?.len();
    Ok((JournalHead { last, segment, length, first, from }, vec![format!("{HEAD} {how}")]))
}

/// Prefix of the repair record for a lost head.
pub(super) const HEAD: &str = "the head of it";

fn open(dir: &Path, segment: u32) -> io::Result<File> {
    open_private(&folder::segment(dir, segment))
}
