//! The names that match a tool.

use super::search;
use crate::RankingProfile::{Ladder, Ladder2};
use insta::assert_snapshot;

/// Q-28: a namespace inside the name itself does not hide the name.
#[test]
fn a_namespaced_name_matches_its_inner_name() {
    assert_snapshot!(search("app/svc__send_email", Ladder, "send_email"), @"svc__send_email 1");
    assert_snapshot!(search("app/svc__send_email", Ladder, "send"), @"svc__send_email 0.9");
    assert_snapshot!(search("app/svc__send_email", Ladder2, "send"), @"svc__send_email 0.95");
}

/// Q-28: neither does the source.
#[test]
fn a_tool_matches_its_bare_and_qualified_name() {
    for query in ["send_email", "svc__send_email", "SVC__Send_Email"] {
        assert_eq!(search("svc/send_email", Ladder, query), "send_email 1");
    }
    assert_snapshot!(search("svc/send_email", Ladder, "send"), @"send_email 0.9");
    assert_snapshot!(search("svc/send_email", Ladder, "svc__send"), @"send_email 0.9");
}

/// Q-28: the best name counts, not the sum of all names.
#[test]
fn a_query_with_the_source_name_ranks_its_tool_first() {
    let library = "
        mail/send
        post/send
    ";
    assert_snapshot!(search(library, Ladder2, "post send"), @r"
    send 0.935
    send 0.475
    ");
}

#[test]
fn a_name_that_ends_with_its_namespace_has_no_inner_name() {
    assert_snapshot!(search("app/svc__", Ladder, "svc__"), @"svc__ 1");
    assert_snapshot!(search("app/svc__", Ladder, "other"), @"nothing");
}
