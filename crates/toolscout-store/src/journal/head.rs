//! The head: the sealed position of the journal's end, which reveals lines cut off the end. Writers
//! lock this file.

use super::line::{ChainHash, ChainPosition};
use super::paths;
use crate::sqlite::file::{if_exists, open_private};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const MAGIC: &str = "toolscout-journal 1";
/// Constant, so that one write replaces the old content.
const LENGTH: usize = 256;
/// Time between attempts to lock. A writer holds the lock only as long as a write takes.
const RETRY_INTERVAL: Duration = Duration::from_micros(200);

/// The position of the journal's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalHead {
    /// The last line.
    pub(super) last: ChainPosition,
    /// The segment of the last line, and its length in bytes.
    pub(super) segment: u32,
    pub(super) length: u64,
    /// The first segment that still exists, and the number of its first line.
    pub(super) first: u32,
    pub(super) from: u64,
}

/// The content of the head file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadState {
    /// There is no file, or it is empty.
    Nothing,
    /// The content is invalid or has a wrong seal.
    Changed,
    Head(JournalHead),
}

impl JournalHead {
    /// The head of an empty journal.
    pub(super) const START: Self =
        Self { last: ChainPosition::START, segment: 1, length: 0, first: 1, from: 1 };

    fn to_text(self, key: &[u8; 32]) -> String {
        let Self { last: ChainPosition { n, hash }, segment, length, first, from } = self;
        let content = format!("{MAGIC} {n} {hash} {segment} {length} {first} {from}");
        let seal = ChainHash::keyed(key, content.as_bytes());
        format!("{:<width$}\n", format!("{content} {seal}"), width = LENGTH - 1)
    }

    pub(super) fn read(text: &str, key: &[u8; 32]) -> HeadState {
        match text.trim() {
            "" => HeadState::Nothing,
            text => Self::parse(text, key).map_or(HeadState::Changed, HeadState::Head),
        }
    }

    fn parse(text: &str, key: &[u8; 32]) -> Option<Self> {
        let (content, seal) = text.rsplit_once(' ')?;
        (ChainHash::read(seal)? == ChainHash::keyed(key, content.as_bytes())).then_some(())?;
        let mut words = content.strip_prefix(MAGIC)?.split_ascii_whitespace();
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

/// Reads the current head of this folder without locking.
pub(super) fn read_head(dir: &Path, key: &[u8; 32]) -> io::Result<HeadState> {
    if_exists(File::open(paths::head(dir)))?.map_or(Ok(HeadState::Nothing), |file| read(file, key))
}

fn read(file: impl Read, key: &[u8; 32]) -> io::Result<HeadState> {
    let mut bytes = Vec::with_capacity(LENGTH);
    file.take(4 * LENGTH as u64).read_to_end(&mut bytes)?;
    Ok(std::str::from_utf8(&bytes).map_or(HeadState::Changed, |text| JournalHead::read(text, key)))
}

/// The locked head: the exclusive right to write into the journal.
pub(super) struct LockedHead(File);

impl LockedHead {
    /// Waits for the lock, but not longer than `timeout`: a process that is stopped in the middle
    /// must not block others.
    pub(super) fn lock(dir: &Path, timeout: Duration) -> io::Result<Self> {
        let file = open_private(&paths::head(dir))?;
        let deadline = Instant::now() + timeout;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(io::Error::new(
                        ErrorKind::TimedOut,
                        "another process keeps it locked",
                    ));
                }
                Err(TryLockError::WouldBlock) => std::thread::park_timeout(RETRY_INTERVAL),
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
    /// Unlocks explicitly, because closing is not enough: a child process inherits the open file
    /// until it calls exec.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
