//! Reads the journal: from the end backwards for who wants the newest, from the beginning for who counts.

use super::folder;
use super::line::{ChainPosition, JournalLine, LONGEST, LineStart};
use crate::sqlite::file::found;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::Moment;

/// Read at once, from the end towards the beginning.
const BLOCK: u64 = 64 << 10;
/// A record is written when what it tells of has ended, and tells when that began: so much may be between the two.
const LAG: Duration = Duration::from_secs(3_600);

/// Reads a journal; needs no key, locks nothing, and is in nobody's way.
#[derive(Debug, Clone)]
pub struct JournalReader {
    dir: PathBuf,
}

/// Which lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct JournalQuery<'a> {
    /// With a smaller number than this.
    pub before: Option<u64>,
    /// Of these kinds; of all where none are named.
    pub kinds: &'a [&'a str],
    /// Of what began then or later.
    pub since: Option<Moment>,
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLine {
    /// Its number.
    pub n: u64,
    /// A JSON object.
    pub text: String,
}

impl JournalQuery<'_> {
    fn takes(&self, line: &LineStart<'_>, since: Option<&str>) -> bool {
        self.before.is_none_or(|it| line.n < it)
            && (self.kinds.is_empty() || self.kinds.contains(&line.kind))
            && since.is_none_or(|it| line.at >= it)
    }
}

impl JournalReader {
    /// Of the journal below this folder of state; opens nothing.
    pub fn new(state: &Path) -> Self {
        Self { dir: super::dir(state) }
    }

    /// The newest of these, the newest first, at most so many. Takes as long as they are far from the end.
    pub fn newest(&self, wanted: &JournalQuery<'_>, limit: usize) -> io::Result<Vec<StoredLine>> {
        let mut found = Vec::new();
        if limit == 0 {
            return Ok(found);
        }
        let since = wanted.since.map(|it| it.to_string());
        let oldest = wanted.since.map(|it| Moment(it.0.saturating_sub(LAG.as_millis() as u64)).to_string());
        for number in folder::segments(&self.dir)?.into_iter().rev() {
            if wanted.before.is_some_and(|it| first_of(&self.dir, number).ok().flatten().is_some_and(|n| n >= it)) {
                continue;
            }
            let is_done = backwards(&folder::segment(&self.dir, number), |text| {
                let Some(start) = LineStart::read(text) else { return false };
                if wanted.takes(&start, since.as_deref()) {
                    found.push(StoredLine { n: start.n, text: text.to_owned() });
                }
                found.len() == limit || oldest.as_deref().is_some_and(|it| start.at < it)
            })?;
            if is_done {
                break;
            }
        }
        Ok(found)
    }

    /// Shows each of these, the oldest first.
    pub fn each(&self, wanted: &JournalQuery<'_>, mut show: impl FnMut(&str)) -> io::Result<()> {
        let since = wanted.since.map(|it| it.to_string());
        for number in folder::segments(&self.dir)? {
            let Some(file) = found(File::open(folder::segment(&self.dir, number)))? else { continue };
            lines(file, |text, is_whole| {
                let text = std::str::from_utf8(text).ok().filter(|_| is_whole);
                let start = text.and_then(LineStart::read);
                if let Some((text, _)) = text.zip(start.filter(|it| wanted.takes(it, since.as_deref()))) {
                    show(text);
                }
            })?;
        }
        Ok(())
    }
}

/// Each line of a file, without its end, and whether it has one; of lines that are too long to be ours, the beginning.
pub(super) fn lines(file: File, mut show: impl FnMut(&[u8], bool)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(BLOCK as usize, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut file).take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match line.pop_if(|it| *it == b'\n') {
            Some(_) => show(&line, true),
            None if line.len() <= LONGEST => show(&line, false),
            None => {
                show(&line, true);
                skip_line(&mut file)?;
            }
        }
    }
}

fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        let (taken, is_end) = match buffer.iter().position(|it| *it == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        file.consume(taken);
        if is_end {
            return Ok(());
        }
    }
}

/// Each whole line of a file, the last first, until one is enough; says whether one was.
fn backwards(path: &Path, mut is_enough: impl FnMut(&str) -> bool) -> io::Result<bool> {
    let Some(mut file) = found(File::open(path))? else { return Ok(false) };
    let mut end = file.metadata()?.len();
    // From somewhere in a line to the end of another; what is behind the last end of a line is not whole.
    let mut bytes: Vec<u8> = Vec::new();
    let mut is_first = true;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        end = start;
        // A line that does not end is none of ours.
        bytes.truncate(LONGEST);
        block.append(&mut bytes);
        bytes = block;
        if is_first {
            let Some(last) = bytes.iter().rposition(|it| *it == b'\n') else { continue };
            bytes.truncate(last + 1);
            is_first = false;
        }
        let begin =
            if end == 0 { 0 } else { bytes.iter().position(|it| *it == b'\n').map_or(bytes.len(), |it| it + 1) };
        let whole = &bytes[begin..];
        for line in whole.split(|it| *it == b'\n').rev().filter(|it| !it.is_empty()) {
            if std::str::from_utf8(line).is_ok_and(&mut is_enough) {
                return Ok(true);
            }
        }
        bytes.truncate(begin);
    }
    Ok(false)
}

/// The number of the first line of a file; none where there is none.
pub(super) fn first_of(dir: &Path, segment: u32) -> io::Result<Option<u64>> {
    let Some(file) = found(File::open(folder::segment(dir, segment)))? else { return Ok(None) };
    let mut line = Vec::new();
    BufReader::with_capacity(1024, file).take(LONGEST as u64).read_until(b'\n', &mut line)?;
    Ok(std::str::from_utf8(&line).ok().and_then(LineStart::read).map(|it| it.n))
}

/// The place of the last line that is as it was written.
pub(super) fn last_sealed(dir: &Path, segments: &[u32], key: &[u8; 32]) -> io::Result<Option<ChainPosition>> {
    let mut last = None;
    for number in segments.iter().rev() {
        backwards(&folder::segment(dir, *number), |text| {
            last = JournalLine::read(text).filter(|it| it.is_sealed(key)).map(|it| it.place());
            last.is_some()
        })?;
        if last.is_some() {
            break;
        }
    }
    Ok(last)
}
