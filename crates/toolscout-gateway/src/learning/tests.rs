//! 1. Stored data is limited: queries per tool, records per tenant, searches per owner, and the
//!    length of queries.
//! 2. Written rows can be read; unreadable rows count as absent.
//! 3. If two processes learn at the same time, neither loses the records of the other.

use super::recent::{MAX_ATTRIBUTION_AGE, RecentSearch, RecentSearches, to_stored_query};
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

fn search(text: &str, hits: &[&str]) -> RecentSearch {
    let embedding = Some((row::space("some encoder"), Vector::quantize(&[0.5, -0.25, 0.125])));
    RecentSearch {
        text: text.to_owned(),
        embedding,
        hits: hits.iter().map(|hit| tool(hit)).collect(),
        searched_at: Moment(1_000),
    }
}

fn records_of(records: &[(&str, &str)]) -> FeedbackRecords {
    let mut all = FeedbackRecords::default();
    for (at, (text, name)) in (0..).zip(records) {
        all.add(search(text, &[]), &tool(name), &"".into(), Moment(at));
    }
    all
}

fn queries(records: &FeedbackRecords) -> Vec<String> {
    records.shown("").into_iter().map(|item| item.query).collect()
}

#[test]
fn a_tool_keeps_its_forty_newest_queries() {
    let texts: Vec<String> = (0..50).map(|at| format!("question {at}")).collect();
    let mut records =
        records_of(&texts.iter().map(|text| (text.as_str(), "send")).collect::<Vec<_>>());
    records.add(search("of another", &[]), &tool("list"), &"".into(), Moment(99));
    let kept = queries(&records);
    assert_eq!(
        (kept.len(), kept[0].as_str(), kept[40].as_str()),
        (41, "of another", "question 10")
    );
}

#[test]
fn a_tenant_keeps_four_thousand_records_and_evicts_the_oldest() {
    let texts: Vec<(String, String)> =
        (0..4_200).map(|at| (format!("question {at}"), format!("t{}", at % 150))).collect();
    let records = records_of(
        &texts.iter().map(|(text, tool)| (text.as_str(), tool.as_str())).collect::<Vec<_>>(),
    );
    let kept = queries(&records);
    assert_eq!((kept.len(), kept[3_999].as_str()), (4_000, "question 200"));
}

#[test]
fn a_repeated_query_is_counted_once() {
    let records = records_of(&[
        ("Send it", "send"),
        ("other", "send"),
        ("send it", "send"),
        ("send it", "list"),
    ]);
    let shown: Vec<_> =
        records.shown("").into_iter().map(|item| (item.query, item.times)).collect();
    let expected = [("send it", 1), ("send it", 2), ("other", 1)]
        .map(|(text, times)| (text.to_owned(), times));
    assert_eq!(shown, expected);
}

#[test]
fn records_of_folder_tools_belong_to_one_project() {
    let mut records = FeedbackRecords::default();
    records.add(search("here", &[]), &tool("send"), &"one".into(), Moment(1));
    records.add(search("everywhere", &[]), &tool("send"), &"".into(), Moment(2));
    let shown = |project: &str| {
        records.shown(project).into_iter().map(|item| item.query).collect::<Vec<_>>()
    };
    assert_eq!(shown("one"), ["everywhere", "here"]);
    assert_eq!(shown("two"), ["everywhere"]);
}

#[test]
fn stored_queries_are_one_short_line_without_secrets() {
    assert_eq!(to_stored_query("  send\n\tthe mail\u{1b}[2J "), "send the mail[2J");
    assert_eq!(to_stored_query(&"ü".repeat(5_000)).chars().count(), 300);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let long = format!("{} {secret}", "word ".repeat(55));
    for text in [
        format!("list issues with token {secret}"),
        format!("log in with password=hunter2-{secret}"),
        long,
    ] {
        let kept = to_stored_query(&text);
        assert!(!kept.contains("ghp_") && !kept.contains("hunter2"), "{kept}");
    }
}

#[test]
fn a_search_counts_once_per_tool_within_ten_minutes() {
    let mut recent = RecentSearches::default();
    recent.add(search("old", &["send"]));
    recent.add(RecentSearch { searched_at: Moment(2_000), ..search("new", &["send", "list"]) });
    let later = Moment(3_000);
    assert_eq!(recent.take(&tool("send"), later).unwrap().text, "new");
    assert_eq!(recent.take(&tool("send"), later).unwrap().text, "old");
    assert_eq!(recent.take(&tool("send"), later), None);
    let too_late = Moment(2_000).after(MAX_ATTRIBUTION_AGE);
    assert_eq!(recent.take(&tool("list"), too_late), None);
    assert!(recent.is_empty());
}

#[test]
fn only_the_last_searches_are_recent() {
    let mut recent = RecentSearches::default();
    (0..40).for_each(|at| recent.add(search(&format!("question {at}"), &[&format!("t{at}")])));
    let mut teaches = |at: usize| recent.take(&tool(&format!("t{at}")), Moment(1_500)).is_some();
    assert_eq!([teaches(0), teaches(23), teaches(24), teaches(39)], [false, false, true, true]);
}

#[test]
fn written_rows_are_read_back() {
    let records = records_of(&[("one", "send"), ("zwei", "list")]);
    assert_eq!(FeedbackRecords::from_bytes(&records.to_bytes()), records);
    let mut recent = RecentSearches::default();
    recent.add(search("one", &["send", "list"]));
    recent.add(RecentSearch { embedding: None, ..search("two", &[]) });
    assert_eq!(RecentSearches::from_bytes(&recent.to_bytes()), recent);
}

#[test]
fn concurrent_writers_lose_no_records() {
    let store = Arc::new(MemoryStore::default());
    let feedback_store = || FeedbackStore {
        store: store.clone(),
        partition: "p".into(),
        now: Arc::new(|| Moment(0)),
    };
    std::thread::scope(|scope| {
        for who in 0..4 {
            let feedback_store = feedback_store();
            scope.spawn(move || {
                for at in 0..8 {
                    let text = format!("{who} {at}");
                    let add = |feedback_records: &mut FeedbackRecords| {
                        feedback_records.add(
                            search(&text, &[]),
                            &tool("send"),
                            &"".into(),
                            Moment(at),
                        )
                    };
                    feedback_store.change_records("everybody", add).unwrap();
                }
            });
        }
    });
    assert_eq!(feedback_store().records("everybody").unwrap().0.len(), 32);
}

#[test]
fn the_tenants_with_the_oldest_records_are_evicted() {
    let feedback_store = FeedbackStore {
        store: Arc::new(MemoryStore::default()),
        partition: "p".into(),
        now: Arc::new(Moment::now),
    };
    for at in 0..1_001 {
        let add = |feedback_records: &mut FeedbackRecords| {
            feedback_records.add(search("x", &[]), &tool("send"), &"".into(), Moment(at))
        };
        feedback_store.change_records(&format!("tenant {at}"), add).unwrap();
    }
    let kept = |at: usize| feedback_store.records(&format!("tenant {at}")).unwrap().0.len();
    assert_eq!([kept(0), kept(100), kept(101), kept(1_000)], [0, 0, 1, 1]);
}

proptest! {
    #[test]
    fn malformed_rows_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let row = [row::new_row(), bytes].concat();
        let _ = (FeedbackRecords::from_bytes(&row), RecentSearches::from_bytes(&row));
        let whole = records_of(&[("one", "send")]).to_bytes();
        let _ = FeedbackRecords::from_bytes(&whole[..row.len() % whole.len()]);
    }
}
