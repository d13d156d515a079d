//! Every hit reports which parts of query and tool match.

use super::{LIB10, explain};
use crate::RankingProfile::{Ladder, Ladder2};
use insta::assert_snapshot;

#[test]
fn each_rung_has_its_reason() {
    assert_snapshot!(explain(LIB10, Ladder, "Send_Email"), @"app/send_email: name is `send_email`");
    assert_snapshot!(explain(LIB10, Ladder, "send"), @"app/send_email: name starts with `send`");
    assert_snapshot!(explain(LIB10, Ladder, "check"), @"app/health_check: name has `check`");
    assert_snapshot!(explain(LIB10, Ladder, "smtp"), @"app/send_email: keyword `smtp`");
    assert_snapshot!(explain(LIB10, Ladder, "smt"), @"app/send_email: keyword `smtp` has `smt`");
    assert_snapshot!(explain(LIB10, Ladder, "recipient"), @"app/send_email: description has the word `recipient`");
    assert_snapshot!(explain(LIB10, Ladder, "recip"), @"app/send_email: description has `recip`");
    assert_snapshot!(explain(LIB10, Ladder, "statistcs"), @"app/analyze_data: `statistcs` is similar to keyword `statistics`");
    assert_snapshot!(explain(LIB10, Ladder, "kubernets_deploy"), @"app/kubernetes_deploy: `kubernets_deploy` is similar to name `kubernetes_deploy`");
}

#[test]
fn words_inside_names_have_their_own_reasons() {
    assert_snapshot!(explain(LIB10, Ladder2, "email"), @r"
    app/send_email: name has the word `email`
    app/list_emails: a word of the name starts with `email`
    ");
}

#[test]
fn several_words_give_distinct_reasons() {
    assert_snapshot!(explain(LIB10, Ladder2, "send SMTP send invoice"), @"app/send_email: name starts with `send`, keyword `smtp`");
}

#[test]
fn an_empty_query_has_no_reasons() {
    assert_snapshot!(explain("app/a", Ladder2, ""), @"app/a: ");
}
