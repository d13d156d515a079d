//! 1. Stored data is limited: queries per tool, records per tenant, searches per owner, and the
//!    length of queries.
//! 2. Written rows can be read; unreadable rows count as absent.
//! 3. If two processes learn at the same time, neither loses the records of the other.

use super::recent::{RecentSearch, RecentSearches, SHORTLY, fit};
use super::records::FeedbackRecords;
use super::row;
use super::store::FeedbackStore;
use proptest::prelude::*;
use std::sync::Arc;
use toolscout_core::{MemoryStore, Moment, SourceId, ToolId, ToolName};
use toolscout_index::Vector;

fn tool(name: &str) -> ToolId {
    ToolId::new(SourceId::new("mail").unwrap(), ToolName::new(name).unwrap())
}

fn question(text: &str, hits: &[&str]) -> RecentSearch {
    let meaning = Some((row::space("some encoder"), Vector::of(&[0.5, -0.25, 0.125])));
    RecentSearch {
        text: text.to_owned(),
        meaning,
        hits: hits.iter().map(|it| tool(it)).collect(),
        asked: Moment(1_000),
    }
}

fn taught(lessons: &[(&str, &str)]) -> FeedbackRecords {
    let mut all = FeedbackRecords::default();
    for (at, (text, name)) in (0..).zip(lessons) {
        all.add(question(text, &[]), &tool(name), &"".into(), Moment(at));
    }
    all
}

fn questions(lessons: &FeedbackRecords) -> Vec<String> {
    lessons.shown("").into_iter().map(|it| it.question).collect()
}

#[test]
fn a_tool_keeps_its_forty_newest_questions() {
    let texts: Vec<String> = (0..50).map(|at| format!("question {at}")).collect();
    let mut lessons = taught(&texts.iter().map(|it| (it.as_str(), "send")).collect::<Vec<_>>());
    lessons.add(question("of another", &[]), &tool("list"), &"".into(), Moment(99));
    let kept = questions(&lessons);
    assert_eq!(
        (kept.len(), kept[0].as_str(), kept[40].as_str()),
        (41, "of another", "question 10")
    );
}

#[test]
fn a_tenant_keeps_four_thousand_and_the_oldest_go_first() {
    let texts: Vec<(String, String)> =
        (0..4_200).map(|at| (format!("question {at}"), format!("t{}", at % 150))).collect();
    let lessons = taught(
        &texts.iter().map(|(text, tool)| (text.as_str(), tool.as_str())).collect::<Vec<_>>(),
    );
    let kept = questions(&lessons);
    assert_eq!((kept.len(), kept[3_999].as_str()), (4_000, "question 200"));
}

#[test]
fn the_same_question_again_is_counted_and_not_kept_twice() {
    let lessons =
        taught(&[("Send it", "send"), ("other", "send"), ("send it", "send"), ("send it", "list")]);
    let shown: Vec<_> = lessons.shown("").into_iter().map(|it| (it.question, it.times)).collect();
    let expected = [("send it", 1), ("send it", 2), ("other", 1)]
        .map(|(text, times)| (text.to_owned(), times));
    assert_eq!(shown, expected);
}

#[test]
fn tools_of_a_folder_are_those_of_one_project() {
    let mut lessons = FeedbackRecords::default();
    lessons.add(question("here", &[]), &tool("send"), &"one".into(), Moment(1));
    lessons.add(question("everywhere", &[]), &tool("send"), &"".into(), Moment(2));
    let shown = |project: &str| {
        lessons.shown(project).into_iter().map(|it| it.question).collect::<Vec<_>>()
    };
    assert_eq!(shown("one"), ["everywhere", "here"]);
    assert_eq!(shown("two"), ["everywhere"]);
}

#[test]
fn a_question_is_kept_in_one_short_line_without_secrets() {
    assert_eq!(fit("  send\n\tthe mail\u{1b}[2J "), "send the mail[2J");
    assert_eq!(fit(&"ü".repeat(5_000)).chars().count(), 300);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let long = format!("{} {secret}", "word ".repeat(55));
    for text in [
        format!("list issues with token {secret}"),
        format!("log in with password=hunter2-{secret}"),
        long,
    ] {
        let kept = fit(&text);
        assert!(!kept.contains("ghp_") && !kept.contains("hunter2"), "{kept}");
    }
}

#[test]
fn a_question_teaches_once_about_each_tool_and_for_ten_minutes() {
    let mut recent = RecentSearches::default();
    recent.add(question("old", &["send"]));
    recent.add(RecentSearch { asked: Moment(2_000), ..question("new", &["send", "list"]) });
    let later = Moment(3_000);
    assert_eq!(recent.take(&tool("send"), later).unwrap().text, "new");
    assert_eq!(recent.take(&tool("send"), later).unwrap().text, "old");
    assert_eq!(recent.take(&tool("send"), later), None);
    let too_late = Moment(2_000).after(SHORTLY);
    assert_eq!(recent.take(&tool("list"), too_late), None);
    assert!(recent.is_empty());
}

#[test]
fn only_the_last_questions_are_recent() {
    let mut recent = RecentSearches::default();
    (0..40).for_each(|at| recent.add(question(&format!("question {at}"), &[&format!("t{at}")])));
    let mut teaches = |at: usize| recent.take(&tool(&format!("t{at}")), Moment(1_500)).is_some();
    assert_eq!([teaches(0), teaches(23), teaches(24), teaches(39)], [false, false, true, true]);
}

#[test]
fn what_was_written_can_be_read() {
    let lessons = taught(&[("one", "send"), ("zwei", "list")]);
    assert_eq!(FeedbackRecords::from_bytes(&lessons.to_bytes()), lessons);
    let mut recent = RecentSearches::default();
    recent.add(question("one", &["send", "list"]));
    recent.add(RecentSearch { meaning: None, ..question("two", &[]) });
    assert_eq!(RecentSearches::from_bytes(&recent.to_bytes()), recent);
}

#[test]
fn two_who_learn_at_the_same_time_both_keep_what_they_learned() {
    let store = Arc::new(MemoryStore::default());
    let ledger = || FeedbackStore {
        store: store.clone(),
        partition: "p".into(),
        now: Arc::new(|| Moment(0)),
    };
    std::thread::scope(|scope| {
        for who in 0..4 {
            let ledger = ledger();
            scope.spawn(move || {
                for at in 0..8 {
                    let text = format!("{who} {at}");
                    let add = |it: &mut FeedbackRecords| {
                        it.add(question(&text, &[]), &tool("send"), &"".into(), Moment(at))
                    };
                    ledger.change_lessons("everybody", add).unwrap();
                }
            });
        }
    });
    assert_eq!(ledger().lessons("everybody").unwrap().0.len(), 32);
}

#[test]
fn tenants_that_learned_nothing_for_longest_make_room() {
    let ledger = FeedbackStore {
        store: Arc::new(MemoryStore::default()),
        partition: "p".into(),
        now: Arc::new(Moment::now),
    };
    for at in 0..1_001 {
        let add = |it: &mut FeedbackRecords| {
            it.add(question("x", &[]), &tool("send"), &"".into(), Moment(at))
        };
        ledger.change_lessons(&format!("tenant {at}"), add).unwrap();
    }
    let kept = |at: usize| ledger.lessons(&format!("tenant {at}")).unwrap().0.len();
    assert_eq!([kept(0), kept(100), kept(101), kept(1_000)], [0, 0, 1, 1]);
}

proptest! {
    #[test]
    fn no_row_is_too_odd_to_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let row = [row::begun(), bytes].concat();
        let _ = (FeedbackRecords::from_bytes(&row), RecentSearches::from_bytes(&row));
        let whole = taught(&[("one", "send")]).to_bytes();
        let _ = FeedbackRecords::from_bytes(&whole[..row.len() % whole.len()]);
    }
}
