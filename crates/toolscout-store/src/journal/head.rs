//! The head: how far the journal goes, sealed, so that it shows when its end was cut off. Whoever writes has it locked.

use super::folder;
use super::line::{ChainHash, ChainPosition};
use crate::sqlite::file::{found, open_private};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const WORDS: &str = "toolscout-journal 1";
/// Always the same, so that it is written over in one piece.
const LENGTH: usize = 256;
/// Who has the head does not keep it for longer than a write takes.
const NAP: Duration = Duration::from_micros(200);

/// How far the journal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalHead {
    /// Of the last line.
    pub(super) last: ChainPosition,
    /// The file it is in, and how long that is.
    pub(super) segment: u32,
    pub(super) length: u64,
    /// The first file that is kept, and the first line in it.
    pub(super) first: u32,
    pub(super) from: u64,
}

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadState {
    /// There is none, or nothing in it.
    Nothing,
    /// Something that is not ours.
    Changed,
    Head(JournalHead),
}

impl JournalHead {
    /// Of a journal without any line.
    pub(super) const START: Self = Self { last: ChainPosition::START, segment: 1, length: 0, first: 1, from: 1 };

    fn to_text(self, key: &[u8; 32]) -> String {
        let Self { last: ChainPosition { n, hash }, segment, length, first, from } = self;
        let said = format!("{WORDS} {n} {hash} {segment} {length} {first} {from}");
        let mark = ChainHash::of(key, said.as_bytes());
        format!("{:<width$}\n", format!("{said} {mark}"), width = LENGTH - 1)
    }

    pub(super) fn read(text: &str, key: &[u8; 32]) -> HeadState {
        match text.trim() {
            "" => HeadState::Nothing,
            text => Self::parse(text, key).map_or(HeadState::Changed, HeadState::Head),
        }
    }

    fn parse(text: &str, key: &[u8; 32]) -> Option<Self> {
        let (said, mark) = text.rsplit_once(' ')?;
        (ChainHash::read(mark)? == ChainHash::of(key, said.as_bytes())).then_some(())?;
        let mut words = said.strip_prefix(WORDS)?.split_ascii_whitespace();
        let mut next = || words.next();
        Some(Self {
            last: ChainPosition { n: next()?.parse().ok()?, hash: ChainHash::read(next()?)? },
            segment: next()?.parse().ok()?,
            length: next()?.parse().ok()?,
            first: next()?.parse().ok()?,
            from: next()?.parse().ok()?,
        })
    }
}

/// The head of this folder, as it is now; nobody is waited for.
pub(super) fn look(dir: &Path, key: &[u8; 32]) -> io::Result<HeadState> {
    found(File::open(folder::head(dir)))?.map_or(Ok(HeadState::Nothing), |file| read(file, key))
}

fn read(file: impl Read, key: &[u8; 32]) -> io::Result<HeadState> {
    let mut bytes = Vec::with_capacity(LENGTH);
    file.take(4 * LENGTH as u64).read_to_end(&mut bytes)?;
    Ok(std::str::from_utf8(&bytes).map_or(HeadState::Changed, |it| JournalHead::read(it, key)))
}

/// The head, and the right to write into the journal: one at a time has it.
pub(super) struct LockedHead(File);

impl LockedHead {
    /// Waits for its turn, but not for longer than that: a process that was stopped in the middle must not stop others.
    pub(super) fn take(dir: &Path, patience: Duration) -> io::Result<Self> {
        let file = open_private(&folder::head(dir))?;
        let due = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if Instant::now() > due => {
                    return Err(io::Error::new(ErrorKind::TimedOut, "another process does not let go of it"));
                }
                Err(TryLockError::WouldBlock) => std::thread::park_timeout(NAP),
                Err(TryLockError::Error(cause)) => return Err(cause),
            }
        }
    }

    pub(super) fn read(&mut self, key: &[u8; 32]) -> io::Result<HeadState> {
        self.0.seek(SeekFrom::Start(0))?;
        read(&self.0, key)
    }

    pub(super) fn write(&mut self, head: JournalHead, key: &[u8; 32]) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(head.to_text(key).as_bytes())
    }
}

impl Drop for LockedHead {
    /// Said, not left to closing: a child that is just being started has the file open, too, until its own program runs.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
