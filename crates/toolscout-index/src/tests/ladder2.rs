//! The scores of the second ladder.

use super::{LIB10, search};
use crate::RankingProfile::Ladder2;
use insta::assert_snapshot;

/// Q-23: the start of a name.
#[test]
fn the_start_of_a_name_is_almost_the_name() {
    assert_snapshot!(search(LIB10, Ladder2, "send"), @"send_email 0.95");
}

/// Q-23: a word of one name, the start of a word of the other.
#[test]
fn a_word_of_a_name_beats_the_start_of_one() {
    assert_snapshot!(search(LIB10, Ladder2, "email"), @r"
    send_email 0.92
    list_emails 0.9
    ");
}

/// Q-23: a word of a name.
#[test]
fn a_later_word_of_a_name_counts_almost_as_the_first() {
    assert_snapshot!(search(LIB10, Ladder2, "check"), @"health_check 0.92");
}

/// Q-23: the score of several words is a plain mean, with or without matches.
#[test]
fn several_words_are_a_mean() {
    assert_snapshot!(search(LIB10, Ladder2, "send email"), @r"
    send_email 0.935
    list_emails 0.45
    ");
    assert_snapshot!(search(LIB10, Ladder2, "send invoice"), @"send_email 0.475");
}

/// Q-24: a word of the name beats a keyword.
#[test]
fn a_word_inside_a_name_beats_a_keyword() {
    let library = "
        app/get_report_pdf (report)
        app/data_search (report)
    ";
    assert_snapshot!(search(library, Ladder2, "report"), @r"
    get_report_pdf 0.92
    data_search 0.85
    ");
}

/// Q-25: singular before plural.
#[test]
fn the_exact_word_ranks_before_a_longer_one() {
    let library = "
        app/list_customers
        app/get_customer
    ";
    assert_snapshot!(search(library, Ladder2, "customer"), @r"
    get_customer 0.92
    list_customers 0.9
    ");
}

/// Q-26: each word of a keyword counts as the keyword.
#[test]
fn a_word_of_a_longer_keyword_is_worth_the_whole() {
    assert_snapshot!(search("app/new_order (work request)", Ladder2, "work"), @"new_order 0.85");
    assert_snapshot!(search("app/new_order (work request)", Ladder2, "quest"), @"new_order 0.7");
}

#[test]
fn hyphens_separate_words_like_underscores() {
    assert_snapshot!(search("app/send-mail_now", Ladder2, "mail"), @"send-mail_now 0.92");
    assert_snapshot!(search("app/send-mail_now", Ladder2, "end"), @"send-mail_now 0.8");
}

/// Q-01, Q-08, Q-18: names, near misses and nonsense are as on the classic ladder.
#[test]
fn other_scores_equal_the_classic_ladder() {
    assert_snapshot!(search(LIB10, Ladder2, "SEND_EMAIL"), @"send_email 1");
    assert_snapshot!(search(LIB10, Ladder2, "statistcs"), @"analyze_data 0.54");
    assert_snapshot!(search(LIB10, Ladder2, "recip"), @"send_email 0.5");
    assert_snapshot!(search(LIB10, Ladder2, "zzz_no_such_thing"), @"nothing");
}
