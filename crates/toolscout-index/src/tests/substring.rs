//! Plain text search.

use super::{explain, search};
use crate::RankingProfile::Substring;
use insta::assert_snapshot;

const SERVICES: &str = "
    rube/github_search -- Search repositories
    rube/github_create_issue -- Create issue
    rube/slack_send -- Send message
";

/// Q-27: in the order of registration, whether the name has it or the description.
#[test]
fn matches_come_in_registration_order() {
    assert_snapshot!(search(SERVICES, Substring, "github"), @r"
    github_search 1
    github_create_issue 1
    ");
    assert_snapshot!(search(SERVICES, Substring, "MESSAGE"), @"slack_send 1");
    assert_snapshot!(search(SERVICES, Substring, "nonexistent"), @"nothing");
}

/// Q-27: an empty query returns everything.
#[test]
fn an_empty_query_returns_all_in_registration_order() {
    for query in ["", "  "] {
        assert_eq!(
            search(SERVICES, Substring, query),
            "github_search 1\ngithub_create_issue 1\nslack_send 1"
        );
    }
}

#[test]
fn several_words_are_one_text() {
    assert_snapshot!(search(SERVICES, Substring, "send message"), @"slack_send 1");
    assert_snapshot!(search(SERVICES, Substring, "message send"), @"nothing");
}

#[test]
fn neither_keywords_nor_the_source_are_searched() {
    assert_snapshot!(search("rube/a (hidden)", Substring, "hidden"), @"nothing");
    assert_snapshot!(search("rube/a (hidden)", Substring, "rube"), @"nothing");
}

#[test]
fn the_reason_names_the_field() {
    assert_snapshot!(explain(SERVICES, Substring, "send"), @"rube/slack_send: name has `send`");
    assert_snapshot!(explain(SERVICES, Substring, "repo"), @"rube/github_search: description has `repo`");
}
