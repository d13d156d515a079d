//! Every change to the files is detected.

use super::super::append::{JournalFolder, key};
use super::super::head::{JournalHead, LockedHead};
use super::{World, numbers};
use crate::journal::{JournalQuery, JournalRecord, dir, verify};
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{MemoryStore, Moment};

const NONE: [&str; 0] = [];

#[test]
fn an_untouched_journal_is_valid() {
    let world = World::with(20);
    world.write(21..=25);
    let verdict = world.verify();
    assert_eq!((verdict.records, verdict.first, verdict.last), (25, Some(1), Some(25)));
    assert_eq!(world.breaks(), NONE);
    assert_eq!(verdict.notes, NONE);
}

#[test]
fn a_changed_record_is_the_only_break() {
    let world = World::with(9);
    world.rewrite(|lines| lines[4] = lines[4].replace(r#""value":"5""#, r#""value":"6""#));
    assert_eq!(
        world.breaks(),
        ["000001.jsonl:5 record 5 was changed: its hash does not match its content"]
    );
}

#[test]
fn a_changed_hash_or_number_is_detected() {
    let world = World::with(9);
    world.rewrite(|lines| lines[4] = lines[4].replace(r#"{"n":5,"#, r#"{"n":6,"#));
    assert!(
        world.breaks()[0].starts_with("000001.jsonl:5 record 6 was changed"),
        "{:?}",
        world.breaks()
    );
    let world = World::with(9);
    world.rewrite(|lines| {
        let end = lines[4].len() - 4;
        let other = if &lines[4][end..=end] == "0" { "1" } else { "0" };
        lines[4].replace_range(end..=end, other);
    });
    assert!(
        world.breaks()[0].starts_with("000001.jsonl:5 record 5 was changed"),
        "{:?}",
        world.breaks()
    );
}

#[test]
fn a_missing_record_is_detected_at_any_position() {
    let world = World::with(9);
    world.rewrite(|lines| drop(lines.drain(3..5)));
    assert_eq!(world.breaks(), ["000001.jsonl:4 records 4 to 5 are missing"]);
    let world = World::with(9);
    world.rewrite(|lines| drop(lines.remove(0)));
    assert_eq!(world.breaks(), ["000001.jsonl:1 records 1 to 1 are missing"]);
    let world = World::with(9);
    world.rewrite(|lines| lines.truncate(6));
    assert_eq!(world.breaks(), ["000001.jsonl:6 cut off: records 7 to 9 are missing at the end"]);
}

#[test]
fn a_cut_off_end_is_detected_after_later_writes() {
    let world = World::with(9);
    world.rewrite(|lines| lines.truncate(6));
    world.write([10, 11]);
    assert_eq!(world.breaks(), ["000001.jsonl:7 records 7 to 9 are missing"]);
    assert_eq!(world.verify().notes, ["record 10: the end of the file was cut off"]);
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 4)), [12, 11, 10, 6]);
}

#[test]
fn reordered_and_inserted_records_are_detected() {
    let world = World::with(9);
    world.rewrite(|lines| lines.swap(3, 4));
    let breaks = world.breaks();
    assert_eq!(breaks[0], "000001.jsonl:4 records 4 to 4 are missing");
    assert_eq!(breaks[1], "000001.jsonl:5 record 4 comes after record 5");
    let world = World::with(9);
    world.rewrite(|lines| lines.insert(5, lines[2].clone()));
    assert_eq!(world.breaks()[0], "000001.jsonl:6 record 3 comes after record 5");
    let world = World::with(9);
    world.rewrite(|lines| lines.insert(5, "what somebody else says".to_owned()));
    assert_eq!(world.breaks(), ["000001.jsonl:6 this line is not a record"]);
}

/// Both lines have valid seals from other journals, but they do not belong together.
#[test]
fn a_record_of_another_journal_is_detected() {
    let (world, other) = (World::with(9), World::new());
    other.write(11..=19);
    let foreign = other.lines()[4].clone();
    world.rewrite(|lines| lines[4] = foreign);
    let breaks = world.breaks();
    assert_eq!(
        breaks[0],
        "000001.jsonl:5 record 5 does not continue the hash chain of the record before it"
    );
    let head = fs::read(other.head()).unwrap();
    let world = World::with(9);
    fs::write(world.head(), head).unwrap();
    assert_eq!(
        world.breaks(),
        ["000001.jsonl:9 the last record is not the one that the head names"]
    );
}

#[test]
fn a_missing_head_is_reported() {
    let world = World::with(9);
    fs::remove_file(world.head()).unwrap();
    assert_eq!(
        world.breaks(),
        ["head:0 the head is missing, so records cut off at the end cannot be detected"]
    );
    // Writing continues, and the break stays on record.
    world.write([10]);
    assert_eq!(
        world.breaks(),
        [
            "000001.jsonl:10 the head was missing here, so records cut off before this cannot be detected"
        ]
    );
    let world = World::with(9);
    let head = fs::read_to_string(world.head()).unwrap();
    fs::write(world.head(), head.replace(" 9 ", " 8 ")).unwrap();
    assert!(world.breaks()[0].starts_with("head:0 the head was changed"), "{:?}", world.breaks());
    world.write([10]);
    assert_eq!(world.breaks().len(), 1);
    assert_eq!(world.verify().last, Some(11));
}

/// S11: nothing that is left shows it, so the store does.
#[test]
fn a_deleted_journal_is_detected() {
    let (world, store) = (World::new(), Arc::new(MemoryStore::default()));
    let append = |count: usize| {
        let record =
            JournalRecord { at: Moment::now(), kind: "test", body: r#"{"value":1}"#.to_owned() };
        let folder = JournalFolder::new(dir(world.state()), store.clone(), 1 << 20);
        folder.append(&vec![record; count]).unwrap();
    };
    let breaks = || {
        let breaks = verify(world.state(), &*store).unwrap().breaks;
        breaks.into_iter().map(|found| found.reason).collect::<Vec<_>>()
    };
    append(9);
    append(2);
    assert_eq!(breaks(), NONE);
    fs::remove_dir_all(dir(world.state())).unwrap();
    let deleted = ["the audit log was deleted; it had 9 records or more"];
    assert_eq!(breaks(), deleted);
    // Another journal does not hide it.
    append(20);
    assert_eq!(breaks(), deleted);
}

#[test]
fn a_missing_file_is_detected() {
    let world = World::with(9);
    fs::remove_file(world.segment(1)).unwrap();
    let breaks = world.breaks();
    assert_eq!(breaks[0], "000001.jsonl:0 the file is missing");
    assert_eq!(breaks[1], "000001.jsonl:0 cut off: records 1 to 9 are missing at the end");
}

#[test]
fn a_partial_record_is_set_aside_before_the_next() {
    let world = World::with(3);
    let mut bytes = fs::read(world.segment(1)).unwrap();
    bytes.extend_from_slice(br#"{"n":4,"at":"2023-"#);
    fs::write(world.segment(1), bytes).unwrap();
    world.write([4]);
    assert_eq!(world.breaks(), NONE);
    assert_eq!(world.verify().notes, ["record 4: an incomplete record of 18 bytes was set aside"]);
    assert_eq!(fs::read(world.state().join("journal/half")).unwrap(), br#"{"n":4,"at":"2023-"#);
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 2)), [5, 4]);
}

#[test]
fn lines_beyond_the_head_are_adopted() {
    let world = World::with(3);
    let head = fs::read(world.head()).unwrap();
    world.write([4, 5]);
    // As if the process had been killed between the two writes.
    fs::write(world.head(), head).unwrap();
    world.write([6]);
    let verdict = world.verify();
    assert_eq!((verdict.last, world.breaks().len(), verdict.notes.len()), (Some(6), 0, 0));
}

#[test]
fn a_process_killed_during_the_first_write_breaks_nothing() {
    let world = World::with(2);
    let key = key(&MemoryStore::default()).unwrap();
    // As if the process had been killed directly after writing its lines.
    LockedHead::lock(&dir(world.state()), Duration::ZERO)
        .unwrap()
        .write(JournalHead::START, &key)
        .unwrap();
    assert_eq!(world.breaks(), NONE);
    world.write([3]);
    let verdict = world.verify();
    assert_eq!((verdict.last, world.breaks().len(), verdict.notes.len()), (Some(3), 0, 0));
    // As if it had been killed before writing them: the head is empty.
    let world = World::new();
    drop(LockedHead::lock(&dir(world.state()), Duration::ZERO).unwrap());
    world.write([1]);
    assert_eq!((world.verify().last, world.breaks().len()), (Some(1), 0));
}

#[test]
fn foreign_text_after_the_end_is_kept_and_reported() {
    let world = World::with(3);
    let mut bytes = fs::read(world.segment(1)).unwrap();
    bytes.extend_from_slice(b"not ours\nand not ended");
    fs::write(world.segment(1), bytes).unwrap();
    world.write([4]);
    assert_eq!(
        world.breaks(),
        ["000001.jsonl:4 this line is not a record", "000001.jsonl:5 this line is not a record"]
    );
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 2)), [5, 4]);
}
