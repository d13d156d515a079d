//! The guarantees of the journal.
//!
//! 1. Pushed and written records can be read, backwards and forwards: [`reading`].
//! 2. Every change to a line, to the order of lines or to their end is located: [`tampering`].
//! 3. Several processes write one chain, and killing one loses no acknowledged record:
//!    [`processes`].
//! 4. The size is limited, and a failed write stops nothing: [`bounds`].

mod bounds;
mod processes;
mod reading;
mod tampering;

use super::{
    Journal, JournalQuery, JournalReader, JournalRecord, JournalVerification, PendingRecord,
    StoredLine, paths, verify,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use toolscout_core::{MemoryStore, Moment};

/// A state folder with a journal in it.
struct World(TempDir);

impl World {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A journal with this many records of one process.
    fn with(records: u64) -> Self {
        let world = Self::new();
        world.write(1..=records);
        world
    }

    fn state(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, numbers: impl IntoIterator<Item = u64>) {
        let journal = journal(self.state());
        numbers.into_iter().for_each(|number| journal.push(pending(number), None));
    }

    fn segment(&self, number: u32) -> PathBuf {
        paths::segment(&super::dir(self.state()), number)
    }

    fn head(&self) -> PathBuf {
        paths::head(&super::dir(self.state()))
    }

    fn lines(&self) -> Vec<String> {
        std::fs::read_to_string(self.segment(1)).unwrap().lines().map(str::to_owned).collect()
    }

    /// Replaces the lines of the first file.
    fn rewrite(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut lines = self.lines();
        change(&mut lines);
        std::fs::write(
            self.segment(1),
            lines.iter().map(|line| format!("{line}\n")).collect::<String>(),
        )
        .unwrap();
    }

    fn verify(&self) -> JournalVerification {
        verify(self.state(), &MemoryStore::default()).unwrap()
    }

    /// The breaks, formatted as text.
    fn breaks(&self) -> Vec<String> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        self.verify()
            .breaks
            .iter()
            .map(|item| format!("{}:{} {}", name(&item.file), item.line, item.reason))
            .collect()
    }

    fn newest(&self, query: JournalQuery<'_>, limit: usize) -> Vec<StoredLine> {
        JournalReader::new(self.state()).newest(&query, limit).unwrap()
    }
}

fn journal(state: &Path) -> Journal {
    let on_trouble = |cause: &std::io::Error| panic!("cannot write: {cause}");
    Journal::new(
        state,
        Arc::new(MemoryStore::default()),
        super::DEFAULT_LIMIT,
        Box::new(on_trouble),
    )
}

fn record(number: u64) -> JournalRecord {
    let kind = if number.is_multiple_of(2) { "even" } else { "odd" };
    JournalRecord {
        at: Moment(1_700_000_000_000 + number * 1_000),
        kind,
        body: format!(r#"{{"value":"{number}"}}"#),
    }
}

fn pending(number: u64) -> PendingRecord {
    Box::new(move || record(number))
}

fn numbers(lines: &[StoredLine]) -> Vec<u64> {
    lines.iter().map(|item| item.n).collect()
}
