//! The parsed form of a query.

use super::{LIB10, index_of};
use crate::{Query, QueryReading};

fn reading(text: &str) -> QueryReading {
    index_of(LIB10).reading(text)
}

#[test]
fn words_are_known_corrected_or_unknown() {
    let read = reading("send databse zzyzx");
    let words: Vec<_> = read
        .words
        .iter()
        .map(|word| (word.word.as_str(), word.is_known, word.corrected.len()))
        .collect();
    assert_eq!(words, [("send", true, 0), ("databse", false, 1), ("zzyzx", false, 0)]);
    assert_eq!(read.unknown().collect::<Vec<_>>(), ["zzyzx"]);
    assert_eq!(read.english, None);
}

#[test]
fn a_query_in_another_language_is_shown_in_english() {
    let read = reading("eine E-Mail senden");
    assert!(read.english.is_some_and(|english| english.contains("send")));
}

#[test]
fn merged_readings_know_the_words_of_both() {
    let ours = index_of("app/send_email -- Send an email").reading("send zzyzx");
    let theirs = index_of("mine/zzyzx -- Zzyzx all day").reading("send zzyzx");
    assert_eq!(ours.unknown().count(), 1);
    assert_eq!(ours.merge(theirs).unknown().count(), 0);
}

#[test]
fn a_score_is_explained_by_its_parts() {
    let index = index_of(LIB10);
    let query = Query::new("send_email");
    let hits = index.search(&query);
    let ids: Vec<_> = hits.iter().map(|hit| &hit.id).collect();
    let parts = index.parts(&query, &ids);
    let best = parts[0].unwrap();
    assert!(
        best.is_named
            && best.lexical > 0.5
            && best.is_approved
            && best.semantic.is_none()
            && best.feedback == 0.0
    );
    let far = toolscout_core::ToolId::new(
        ids[0].source.clone(),
        toolscout_core::ToolName::new("gone").unwrap(),
    );
    assert_eq!(index.parts(&query, &[&far]), [None]);
}

#[test]
fn reasons_show_words_not_stems() {
    let read = index_of("app/backup -- Keeps databases safe").reading("databse");
    assert_eq!(read.words[0].corrected, ["databases"]);
}
