//! Checks the chain from its first line to its head, and reports where it is broken.

use super::head::{self, HeadState, JournalHead};
use super::line::{ChainPosition, JournalLine, LineStart, MAX_LINE_BYTES};
use super::start::JournalStart;
use super::{append, paths, reader, tail};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use toolscout_core::Store;

/// Maximum number of reported breaks; one is enough to distrust the journal.
const MAX_BREAKS: usize = 100;

/// The result of verifying a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalVerification {
    /// The number of lines.
    pub records: u64,
    /// The number of the first line; earlier ones were deleted to keep the journal small.
    pub first: Option<u64>,
    /// The number of the last line.
    pub last: Option<u64>,
    /// The breaks in order; the first hundred.
    pub breaks: Vec<ChainBreak>,
    /// Irregularities that do not imply missing records.
    pub notes: Vec<String>,
}

/// A position at which the journal is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainBreak {
    /// The number that the line there should have.
    pub n: u64,
    /// The file.
    pub file: PathBuf,
    /// The line number in the file, from 1.
    pub line: u64,
    /// The reason, as text for users.
    pub reason: String,
}

/// Checks every line of the journal in this state folder. Takes no lock, so it neither blocks nor
/// waits for a writer.
pub fn verify(state: &Path, store: &dyn Store) -> io::Result<JournalVerification> {
    let dir = super::dir(state);
    let key = append::key(store)?;
    let segments = paths::segments(&dir)?;
    let found = head::read_head(&dir, &key)?;
    let mut verifier = ChainVerifier {
        dir: &dir,
        key,
        verdict: JournalVerification::default(),
        next: None,
        first: None,
        at: (PathBuf::new(), 0),
    };
    match found {
        HeadState::Nothing if segments.is_empty() => {}
        HeadState::Nothing => verifier.verify_without_head("is missing", &segments)?,
        HeadState::Changed => {
            verifier.verify_without_head("was changed, or the store has another key", &segments)?
        }
        HeadState::Head(head) => verifier.verify_segments(&head)?,
    }
    if let Some(start) = JournalStart::read(store) {
        verifier.verify_start(&start);
    }
    Ok(verifier.verdict)
}

struct ChainVerifier<'a> {
    dir: &'a Path,
    key: [u8; 32],
    verdict: JournalVerification,
    /// The position that the next line must follow; none before the first line.
    next: Option<ChainPosition>,
    /// The position of the first line that was read.
    first: Option<ChainPosition>,
    /// The file and the line that is being checked.
    at: (PathBuf, u64),
}

impl ChainVerifier<'_> {
    fn verify_without_head(&mut self, state: &str, segments: &[u32]) -> io::Result<()> {
        segments.iter().try_for_each(|segment| self.segment(*segment, u64::MAX))?;
        self.at = (paths::head(self.dir), 0);
        self.break_here(
            self.expected(),
            format!("the head {state}, so records cut off at the end cannot be detected"),
        );
        Ok(())
    }

    fn verify_segments(&mut self, head: &JournalHead) -> io::Result<()> {
        if head.from == 1 {
            self.next = Some(ChainPosition::START);
        }
        for number in head.first..=head.segment {
            let until = if number == head.segment { head.length } else { u64::MAX };
            self.segment(number, until)?;
        }
        if self.verdict.first.is_some_and(|value| value > head.from) && head.from > 1 {
            self.at = (paths::segment(self.dir, head.first), 1);
            self.break_here(head.from, format!("records from {} on are missing", head.from));
        }
        self.check_end(head);
        Ok(())
    }

    /// Compares the journal with the start that the store has: another journal may have begun
    /// after this one was deleted.
    fn verify_start(&mut self, start: &JournalStart) {
        let is_same = match self.first {
            Some(first) if first.n == 1 => first.hash == start.first,
            // Its first lines were deleted to make room, so only its length can be compared.
            Some(_) => self.verdict.last >= Some(start.records),
            None => false,
        };
        // Any other break shows already that the log is not what was written.
        if !is_same && self.verdict.breaks.is_empty() {
            self.at = (paths::head(self.dir), 0);
            let reason =
                format!("the audit log was deleted; it had {} records or more", start.records);
            self.break_here(1, reason);
        }
    }

    fn check_end(&mut self, head: &JournalHead) {
        let last = self.next.unwrap_or(ChainPosition::START);
        if last.n < head.last.n {
            let (from, to) = (last.n + 1, head.last.n);
            self.break_here(
                from,
                format!("cut off: records {from} to {to} are missing at the end"),
            );
        } else if last.n == head.last.n && last.hash != head.last.hash {
            self.break_here(
                last.n,
                "the last record is not the one that the head names".to_owned(),
            );
        }
    }

    fn segment(&mut self, number: u32, until: u64) -> io::Result<()> {
        self.at = (paths::segment(self.dir, number), 0);
        let file = match File::open(&self.at.0) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                return self.missing_segment(number);
            }
            other => other?,
        };
        let mut seen = 0;
        reader::visit_lines(file, |line, is_complete| {
            seen += line.len() as u64 + 1;
            // An incomplete line beyond the head may be a write in progress.
            if seen <= until || is_complete {
                self.at.1 += 1;
                self.line(line, is_complete);
            }
        })
    }

    /// A missing file may have been deleted since the start, to make room.
    fn missing_segment(&mut self, number: u32) -> io::Result<()> {
        let is_rotated = matches!(head::read_head(self.dir, &self.key)?, HeadState::Head(it) if it.first > number);
        if is_rotated {
            self.next = None;
        } else {
            self.break_here(self.expected(), "the file is missing".to_owned());
        }
        Ok(())
    }

    fn line(&mut self, bytes: &[u8], is_complete: bool) {
        self.verdict.records += 1;
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| is_complete && text.len() <= MAX_LINE_BYTES);
        let Some(line) = text.and_then(JournalLine::read) else {
            self.verdict.records -= 1;
            let reason =
                if is_complete { "this line is not a record" } else { "incomplete record" };
            return self.break_here(self.expected(), reason.to_owned());
        };
        let expected = self.expected();
        if let Some(reason) = line.error(&self.key, self.next) {
            self.break_here(expected.max(1), reason);
        }
        self.verdict.first.get_or_insert(line.start.n);
        self.verdict.last = Some(line.start.n);
        // Continue from the position the line claims: even if it was changed, the next line still
        // follows it.
        self.next = Some(line.position());
        self.first.get_or_insert(line.position());
        self.note_repair(&line.start, text.unwrap_or_default());
    }

    /// Reports repairs that a writer recorded.
    fn note_repair(&mut self, start: &LineStart<'_>, text: &str) {
        // Earlier versions wrote `mended`.
        if !matches!(start.kind, "repaired" | "mended") {
            return;
        }
        let reason = text
            .split_once(r#""reason":""#)
            .and_then(|(_, value)| value.split_once('"'))
            .map_or("", |(value, _)| value);
        if let Some(how) = reason.strip_prefix(tail::HEAD_REPAIR) {
            self.break_here(
                start.n,
                format!("the head{how} here, so records cut off before this cannot be detected"),
            )
        } else {
            self.verdict.notes.push(format!("record {}: {reason}", start.n))
        }
    }

    fn expected(&self) -> u64 {
        self.next.map_or(1, |value| value.n + 1)
    }

    fn break_here(&mut self, n: u64, reason: String) {
        if self.verdict.breaks.len() < MAX_BREAKS {
            let (file, line) = self.at.clone();
            self.verdict.breaks.push(ChainBreak { n, file, line, reason });
        }
    }
}
