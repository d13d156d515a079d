//! Reads the journal: backwards from the end for the newest lines, or forwards for all of them.

use super::line::{ChainPosition, JournalLine, LineStart, MAX_LINE_BYTES};
use super::paths;
use crate::sqlite::file::if_exists;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::Moment;

/// Bytes per read when reading backwards.
const BLOCK_BYTES: u64 = 64 << 10;
/// Maximum distance between the start of an event, which its record contains, and its end, when the
/// record is written.
const MAX_LAG: Duration = Duration::from_secs(3_600);

/// Reads a journal. It needs no key and takes no lock, so it blocks no writer.
#[derive(Debug, Clone)]
pub struct JournalReader {
    dir: PathBuf,
}

/// Selects lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct JournalQuery<'a> {
    /// Only lines with a smaller number.
    pub before: Option<u64>,
    /// Only these kinds; all kinds if empty.
    pub kinds: &'a [&'a str],
    /// Only events that started then or later.
    pub since: Option<Moment>,
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLine {
    /// The number.
    pub n: u64,
    /// The line, a JSON object.
    pub text: String,
}

impl JournalQuery<'_> {
    fn matches(&self, line: &LineStart<'_>, since: Option<&str>) -> bool {
        self.before.is_none_or(|value| line.n < value)
            && (self.kinds.is_empty() || self.kinds.contains(&line.kind))
            && since.is_none_or(|value| line.at >= value)
    }
}

impl JournalReader {
    /// A reader of the journal in this state folder; opens nothing.
    pub fn new(state: &Path) -> Self {
        Self { dir: super::dir(state) }
    }

    /// The newest matching lines, newest first, at most `limit`. The cost grows with their distance
    /// from the end.
    pub fn newest(&self, query: &JournalQuery<'_>, limit: usize) -> io::Result<Vec<StoredLine>> {
        self.newest_where(query, limit, |_| true)
    }

    /// Like [`Self::newest`], with another condition on the text of a line.
    pub fn newest_where(
        &self,
        query: &JournalQuery<'_>,
        limit: usize,
        is_selected: impl Fn(&str) -> bool,
    ) -> io::Result<Vec<StoredLine>> {
        let mut found = Vec::new();
        if limit == 0 {
            return Ok(found);
        }
        let since = query.since.map(|value| value.to_string());
        let oldest = query.since.map(|since| before_lag(since).to_string());
        for number in paths::segments(&self.dir)?.into_iter().rev() {
            if query.before.is_some_and(|value| {
                first_line_number(&self.dir, number).ok().flatten().is_some_and(|n| n >= value)
            }) {
                continue;
            }
            let is_done = visit_backwards(&paths::segment(&self.dir, number), |text| {
                let Some(start) = LineStart::read(text) else { return false };
                if query.matches(&start, since.as_deref()) && is_selected(text) {
                    found.push(StoredLine { n: start.n, text: text.to_owned() });
                }
                found.len() == limit || oldest.as_deref().is_some_and(|oldest| start.at < oldest)
            })?;
            if is_done {
                break;
            }
        }
        Ok(found)
    }

    /// Passes each matching line to `visit`, oldest first.
    pub fn for_each(
        &self,
        query: &JournalQuery<'_>,
        mut visit: impl FnMut(&str),
    ) -> io::Result<()> {
        let since = query.since.map(|value| value.to_string());
        let oldest = query.since.map(|since| before_lag(since).to_string());
        let segments = paths::segments(&self.dir)?;
        // Lines are in the order in which they were written, so a segment is too old if the first
        // line of the next one is.
        let is_old = |number: &&u32| {
            let first = first_line_time(&self.dir, **number).ok().flatten();
            first.zip(oldest.as_ref()).is_some_and(|(first, oldest)| first < *oldest)
        };
        let skipped = segments.iter().skip(1).take_while(is_old).count();
        for number in segments.into_iter().skip(skipped) {
            let Some(file) = if_exists(File::open(paths::segment(&self.dir, number)))? else {
                continue;
            };
            visit_lines(file, |text, is_complete| {
                let text = std::str::from_utf8(text).ok().filter(|_| is_complete);
                let start = text.and_then(LineStart::read);
                if let Some((text, _)) =
                    text.zip(start.filter(|start| query.matches(start, since.as_deref())))
                {
                    visit(text);
                }
            })?;
        }
        Ok(())
    }
}

/// Each line of a file without its line end, and whether it has one. Of lines longer than
/// [`MAX_LINE_BYTES`], which are not from toolscout, only the beginning.
pub(super) fn visit_lines(file: File, mut visit: impl FnMut(&[u8], bool)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(BLOCK_BYTES as usize, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut file).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match line.pop_if(|byte| *byte == b'\n') {
            Some(_) => visit(&line, true),
            None if line.len() <= MAX_LINE_BYTES => visit(&line, false),
            None => {
                visit(&line, true);
                skip_line(&mut file)?;
            }
        }
    }
}

fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        let (taken, is_end) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        file.consume(taken);
        if is_end {
            return Ok(());
        }
    }
}

/// Passes each complete line of a file to `visit`, last first, until it returns true; returns
/// whether it did.
fn visit_backwards(path: &Path, mut visit: impl FnMut(&str) -> bool) -> io::Result<bool> {
    let Some(mut file) = if_exists(File::open(path))? else { return Ok(false) };
    let mut end = file.metadata()?.len();
    // Bytes from the middle of a line to the end of another. Text after the last line end is
    // incomplete and ignored.
    let mut bytes: Vec<u8> = Vec::new();
    let mut is_first = true;
    while end > 0 {
        let start = end.saturating_sub(BLOCK_BYTES);
        let mut block = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        end = start;
        // A longer line is not from toolscout, so only its beginning is kept.
        bytes.truncate(MAX_LINE_BYTES);
        block.append(&mut bytes);
        bytes = block;
        if is_first {
            let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n') else { continue };
            bytes.truncate(last + 1);
            is_first = false;
        }
        let first_line = if end == 0 {
            0
        } else {
            bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |index| index + 1)
        };
        let complete = &bytes[first_line..];
        for line in complete.split(|byte| *byte == b'\n').rev().filter(|part| !part.is_empty()) {
            if std::str::from_utf8(line).is_ok_and(&mut visit) {
                return Ok(true);
            }
        }
        bytes.truncate(first_line);
    }
    Ok(false)
}

/// The number of the first line of a file; none if there is none.
pub(super) fn first_line_number(dir: &Path, segment: u32) -> io::Result<Option<u64>> {
    first_line(dir, segment, |start| start.n)
}

/// The time of the first line of a file; none if there is none.
fn first_line_time(dir: &Path, segment: u32) -> io::Result<Option<String>> {
    first_line(dir, segment, |start| start.at.to_owned())
}

fn first_line<T>(
    dir: &Path,
    segment: u32,
    read: impl FnOnce(LineStart<'_>) -> T,
) -> io::Result<Option<T>> {
    let Some(file) = if_exists(File::open(paths::segment(dir, segment)))? else { return Ok(None) };
    let mut line = Vec::new();
    BufReader::with_capacity(1024, file)
        .take(MAX_LINE_BYTES as u64)
        .read_until(b'\n', &mut line)?;
    Ok(std::str::from_utf8(&line).ok().and_then(LineStart::read).map(read))
}

/// The earliest start of an event whose record is written at this moment.
fn before_lag(at: Moment) -> Moment {
    Moment(at.0.saturating_sub(MAX_LAG.as_millis() as u64))
}

/// The position of the last line with a valid seal.
pub(super) fn last_sealed(
    dir: &Path,
    segments: &[u32],
    key: &[u8; 32],
) -> io::Result<Option<ChainPosition>> {
    let mut last = None;
    for number in segments.iter().rev() {
        visit_backwards(&paths::segment(dir, *number), |text| {
            last = JournalLine::read(text)
                .filter(|journal_line| journal_line.is_sealed(key))
                .map(|journal_line| journal_line.position());
            last.is_some()
        })?;
        if last.is_some() {
            break;
        }
    }
    Ok(last)
}
