//! The size is limited, and a failed write stops nothing.

use super::super::LIMITS;
use super::super::append::JournalFolder;
use super::{World, journal, numbers, pending, record};
use crate::journal::{DEFAULT_LIMIT, Journal, JournalQuery};
use parking_lot::{Condvar, Mutex};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolscout_core::MemoryStore;

#[test]
fn old_files_are_deleted_and_the_rest_verifies() {
    let world = World::new();
    let book = JournalFolder::with_segments(
        crate::journal::dir(world.state()),
        Arc::new(MemoryStore::default()),
        4_096,
        1_024,
    );
    for n in 1..=200 {
        book.append(&[record(n)]).unwrap();
    }
    let files = fs::read_dir(world.state().join("journal")).unwrap().flatten();
    let size: u64 = files.map(|file| file.metadata().unwrap().len()).sum();
    assert!(size < 6_000, "{size} bytes");
    let verdict = world.verify();
    assert_eq!(world.breaks(), [] as [String; 0]);
    assert_eq!(verdict.last, Some(200));
    assert!(verdict.first.is_some_and(|value| value > 150), "{verdict:?}");
    assert_eq!(verdict.records, 200 - verdict.first.unwrap() + 1);
    let all = world.newest(JournalQuery::default(), usize::MAX);
    assert_eq!(numbers(&all).last(), verdict.first.as_ref());
    // Across files, too.
    let before = Some(verdict.first.unwrap() + 3);
    assert_eq!(world.newest(JournalQuery { before, ..JournalQuery::default() }, 99).len(), 3);
}

#[test]
fn a_batch_larger_than_a_file_continues_in_the_next() {
    let world = World::new();
    let book = JournalFolder::with_segments(
        crate::journal::dir(world.state()),
        Arc::new(MemoryStore::default()),
        1 << 20,
        1_024,
    );
    book.append(&(1..=50).map(record).collect::<Vec<_>>()).unwrap();
    assert!(fs::metadata(world.segment(1)).unwrap().len() < 1_500);
    assert!(world.segment(5).exists());
    assert_eq!((world.breaks().len(), world.verify().records), (0, 50));
    // Remove the first remaining lines.
    let lines = fs::read_to_string(world.segment(3)).unwrap();
    fs::write(world.segment(3), lines.split_inclusive('\n').skip(2).collect::<String>()).unwrap();
    assert_eq!(world.breaks().len(), 1);
}

#[test]
fn missing_first_files_are_detected() {
    let world = World::new();
    let book = JournalFolder::with_segments(
        crate::journal::dir(world.state()),
        Arc::new(MemoryStore::default()),
        1 << 20,
        1_024,
    );
    book.append(&(1..=50).map(record).collect::<Vec<_>>()).unwrap();
    fs::remove_file(world.segment(1)).unwrap();
    assert_eq!(world.breaks()[0], "000001.jsonl:0 the file is missing");
}

#[test]
fn journal_files_are_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with(1);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.segment(1)), 0o600);
    assert_eq!(mode(world.head()), 0o600);
    assert_eq!(mode(world.state().join("journal")), 0o700);
}

#[test]
fn a_write_error_is_reported_once_and_lost_records_are_counted() {
    let world = World::new();
    // A file in place of the folder: nothing can be created there.
    fs::write(world.state().join("journal"), "in the way").unwrap();
    let reports = Arc::new(AtomicUsize::new(0));
    let count = reports.clone();
    let on_trouble = move |_: &std::io::Error| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let journal = Journal::new(
        world.state(),
        Arc::new(MemoryStore::default()),
        DEFAULT_LIMIT,
        Box::new(on_trouble),
    );
    for n in 1..=3 {
        journal.push(pending(n), None);
        journal.flush();
    }
    journal.write(record(4));
    assert_eq!(reports.load(Ordering::Relaxed), 1);
    fs::remove_file(world.state().join("journal")).unwrap();
    journal.write(record(5));
    let lines = world.newest(JournalQuery::default(), 9);
    assert_eq!(lines.len(), 2);
    assert!(lines[1].text.contains(r#""kind":"dropped","records":4"#), "{}", lines[1].text);
    assert_eq!(world.breaks(), [] as [String; 0]);
}

/// The first record blocks the writer thread until all others were pushed.
#[test]
fn records_beyond_the_queue_capacity_are_counted_without_blocking() {
    let world = World::new();
    let journal = journal(world.state());
    journal.start();
    let gate = Arc::new((Mutex::new((false, false)), Condvar::new()));
    let blocked = gate.clone();
    let blocking = move || {
        let (state, changed) = &*blocked;
        let mut state = state.lock();
        state.0 = true;
        changed.notify_all();
        changed.wait_while(&mut state, |changed| !changed.1);
        record(1)
    };
    journal.push(Box::new(blocking), None);
    let (state, changed) = &*gate;
    changed.wait_while(&mut state.lock(), |changed| !changed.0);
    (0..LIMITS.capacity as u64 + 7).for_each(|index| journal.push(pending(index), None));
    state.lock().1 = true;
    changed.notify_all();
    journal.flush();
    let lost = world.newest(JournalQuery { kinds: &["dropped"], ..JournalQuery::default() }, 9);
    assert_eq!(lost.len(), 1);
    assert!(lost[0].text.contains(r#""records":7"#), "{}", lost[0].text);
    assert_eq!(world.verify().records, LIMITS.capacity as u64 + 2);
}
