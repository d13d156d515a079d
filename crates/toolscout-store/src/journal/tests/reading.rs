//! Written records can be read.

use super::super::line::MAX_LINE_BYTES;
use super::{JournalQuery, JournalReader, JournalRecord, World, journal, numbers, pending, record};
use toolscout_core::Moment;

#[test]
fn a_record_is_a_line_with_number_time_and_two_hashes() {
    let world = World::with(2);
    let [first, second] = &world.lines()[..] else { panic!("expected two lines") };
    let none = "0".repeat(32);
    assert!(
        first.starts_with(
            r#"{"n":1,"at":"2023-11-14T22:13:21.000Z","kind":"odd","value":"1","prev":""#
        ),
        "{first}"
    );
    assert!(first.contains(&format!(r#""prev":"{none}","hash":""#)));
    let hash = &first[first.len() - 34..first.len() - 2];
    assert!(second.contains(&format!(r#""prev":"{hash}""#)), "{second} does not name {hash}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(second).unwrap()["n"], 2);
}

#[test]
fn newest_lines_come_first_from_any_position() {
    let world = World::with(9);
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 3)), [9, 8, 7]);
    assert_eq!(
        numbers(&world.newest(JournalQuery { before: Some(3), ..JournalQuery::default() }, 5)),
        [2, 1]
    );
    assert_eq!(
        numbers(&world.newest(JournalQuery { kinds: &["even"], ..JournalQuery::default() }, 2)),
        [8, 6]
    );
    let since = Some(record(8).at);
    assert_eq!(
        numbers(&world.newest(JournalQuery { since, ..JournalQuery::default() }, 9)),
        [9, 8]
    );
    assert_eq!(
        numbers(&world.newest(JournalQuery { before: Some(1), ..JournalQuery::default() }, 5)),
        [] as [u64; 0]
    );
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 0)), [] as [u64; 0]);
}

#[test]
fn lines_across_blocks_are_complete_in_both_directions() {
    let world = World::new();
    let journal = journal(world.state());
    let long = |n: u64| JournalRecord {
        body: format!(r#"{{"text":"{}"}}"#, "é".repeat((n * 37 % 5_000) as usize)),
        ..record(n)
    };
    (1..=400).for_each(|n| journal.push(Box::new(move || long(n)), None));
    journal.flush();
    let backwards = numbers(&world.newest(JournalQuery::default(), usize::MAX));
    let mut forwards = Vec::new();
    let count = |text: &str| {
        forwards
            .push(serde_json::from_str::<serde_json::Value>(text).unwrap()["n"].as_u64().unwrap())
    };
    JournalReader::new(world.state()).for_each(&JournalQuery::default(), count).unwrap();
    assert_eq!(forwards, (1..=400).collect::<Vec<_>>());
    assert_eq!(backwards, (1..=400).rev().collect::<Vec<_>>());
    assert_eq!(world.breaks(), [] as [String; 0]);
}

#[test]
fn a_missing_journal_is_empty_and_valid() {
    let world = World::new();
    assert!(world.newest(JournalQuery::default(), 5).is_empty());
    assert_eq!(world.verify(), super::JournalVerification::default());
}

#[test]
fn pushed_records_are_written_by_flush_and_on_drop() {
    let world = World::new();
    let journal = journal(world.state());
    journal.start();
    journal.start();
    (1..=50).for_each(|index| journal.push(pending(index), None));
    journal.flush();
    assert_eq!(world.newest(JournalQuery::default(), 99).len(), 50);
    journal.write(record(51));
    assert_eq!(world.newest(JournalQuery::default(), 99).len(), 51);
    (52..=60).for_each(|index| journal.push(pending(index), None));
    drop(journal);
    assert_eq!(world.newest(JournalQuery::default(), 99).len(), 60);
    assert_eq!(world.verify().last, Some(60));
}

#[test]
fn invalid_lines_are_skipped() {
    let world = World::with(3);
    let mut bytes = std::fs::read(world.segment(1)).unwrap();
    bytes.extend_from_slice(b"\xff\xfe\n\n{\"n\":\n");
    bytes.extend(std::iter::repeat_n(b'x', 10 * MAX_LINE_BYTES));
    std::fs::write(world.segment(1), bytes).unwrap();
    assert_eq!(numbers(&world.newest(JournalQuery::default(), 9)), [3, 2, 1]);
    let mut count = 0;
    JournalReader::new(world.state()).for_each(&JournalQuery::default(), |_| count += 1).unwrap();
    assert_eq!(count, 3);
}

#[test]
fn records_that_are_too_long_are_counted_as_lost() {
    let world = World::new();
    let journal = journal(world.state());
    journal.write(JournalRecord {
        at: Moment(0),
        kind: "long",
        body: format!(r#"{{"x":"{}"}}"#, "x".repeat(MAX_LINE_BYTES)),
    });
    journal.write(JournalRecord { at: Moment(0), kind: "two", body: "{\"x\":\n1}".to_owned() });
    let lines = world.newest(JournalQuery { kinds: &["dropped"], ..JournalQuery::default() }, 9);
    assert_eq!(lines.len(), 2);
    assert!(lines[0].text.contains(r#""records":1"#));
    assert_eq!(world.breaks(), [] as [String; 0]);
}
