//! The scores of the classic ladder.

use super::{LIB10, search};
use crate::RankingProfile::Ladder;
use insta::assert_snapshot;

/// Q-01: the whole name, in any case, gets the highest score.
#[test]
fn the_full_name_wins_regardless_of_case_and_blanks() {
    for query in ["send_email", "SEND_EMAIL", "  Send_Email "] {
        assert_eq!(search(LIB10, Ladder, query), "send_email 1");
    }
}

/// Q-02: the start of a name.
#[test]
fn the_start_of_a_name_is_almost_the_name() {
    assert_snapshot!(search(LIB10, Ladder, "send"), @"send_email 0.9");
}

/// Q-03: a keyword beats a part of the name, and ties are sorted by name.
#[test]
fn equal_scores_come_by_name() {
    assert_snapshot!(search(LIB10, Ladder, "email"), @r"
    list_emails 0.85
    send_email 0.85
    ");
}

/// Q-04: a keyword of one tool and a part of the other's name.
#[test]
fn a_keyword_beats_a_part_of_a_name() {
    assert_snapshot!(search(LIB10, Ladder, "mail"), @r"
    list_emails 0.85
    send_email 0.8
    ");
}

/// Q-05: a whole keyword, and a part of it.
#[test]
fn a_part_of_a_keyword_counts_less_than_the_whole() {
    assert_snapshot!(search(LIB10, Ladder, "smtp"), @"send_email 0.85");
    assert_snapshot!(search(LIB10, Ladder, "smt"), @"send_email 0.7");
}

/// Q-06: a whole word of the description, and a part of one.
#[test]
fn a_part_of_a_word_of_the_description_counts_less_than_the_whole() {
    assert_snapshot!(search(LIB10, Ladder, "recipient"), @"send_email 0.6");
    assert_snapshot!(search(LIB10, Ladder, "recip"), @"send_email 0.5");
}

/// Q-06: a word in punctuation is still a word.
#[test]
fn punctuation_is_not_part_of_a_word() {
    let library = "app/post -- Send it (quickly), or \"later\"!";
    assert_snapshot!(search(library, Ladder, "quickly"), @"post 0.6");
    assert_snapshot!(search(library, Ladder, "later"), @"post 0.6");
    assert_snapshot!(search(library, Ladder, "late"), @"post 0.5");
}

/// Q-07: a part of a name.
#[test]
fn a_part_of_a_name_counts() {
    assert_snapshot!(search(LIB10, Ladder, "check"), @"health_check 0.8");
}

/// Q-08: a letter is missing in a keyword of two tools.
#[test]
fn a_typo_still_finds_the_keyword() {
    assert_snapshot!(search(LIB10, Ladder, "databse"), @r"
    database_backup 0.525
    sql_query 0.525
    ");
}

/// Q-09: a letter is missing in a keyword of one tool.
#[test]
fn a_typo_in_a_long_keyword_costs_less() {
    assert_snapshot!(search(LIB10, Ladder, "statistcs"), @"analyze_data 0.54");
}

/// Q-11: a typo in the whole name is found, but half a name with a typo is too different.
#[test]
fn a_typo_in_half_a_name_is_too_far() {
    assert_snapshot!(search(LIB10, Ladder, "kubernets_deploy"), @"kubernetes_deploy 0.6588");
    assert_snapshot!(search(LIB10, Ladder, "kubernets"), @"nothing");
}

/// Q-12: two words; one tool has both, another has one.
#[test]
fn a_tool_with_all_words_wins_clearly() {
    assert_snapshot!(search(LIB10, Ladder, "send email"), @r"
    send_email 0.7875
    list_emails 0.2125
    ");
}

/// Q-13: two words; no tool has the second.
#[test]
fn an_unknown_word_lowers_the_score() {
    assert_snapshot!(search(LIB10, Ladder, "send invoice"), @"send_email 0.225");
}

/// Q-15: a keyword of one tool, a word in the text of another.
#[test]
fn a_keyword_beats_the_description() {
    assert_snapshot!(search(LIB10, Ladder, "report"), @r"
    create_pdf 0.85
    health_check 0.6
    ");
}

/// Q-16: a keyword that two tools share.
#[test]
fn a_shared_keyword_finds_both() {
    assert_snapshot!(search(LIB10, Ladder, "container"), @r"
    docker_build 0.85
    kubernetes_deploy 0.85
    ");
}

/// Q-18: a text without any match.
#[test]
fn nonsense_finds_nothing() {
    assert_snapshot!(search(LIB10, Ladder, "zzz_no_such_thing"), @"nothing");
}

/// Q-24: the classic ladder does not distinguish the two.
#[test]
fn a_word_inside_a_name_is_no_better_than_a_keyword() {
    let library = "
        app/get_report_pdf (report)
        app/data_search (report)
    ";
    assert_snapshot!(search(library, Ladder, "report"), @r"
    data_search 0.85
    get_report_pdf 0.85
    ");
}

/// Q-26: a keyword of two words is one text.
#[test]
fn a_word_of_a_longer_keyword_is_a_part_of_it() {
    assert_snapshot!(search("app/new_order (work request)", Ladder, "work"), @"new_order 0.7");
}

#[test]
fn three_words_in_any_order_score_the_same() {
    let library = "
        app/alpha_one (beta) -- with gamma
        app/gamma_two (alpha) -- with beta
        app/beta_three (gamma) -- with alpha
    ";
    assert_snapshot!(search(library, Ladder, "alpha beta gamma"), @r"
    alpha_one 0.705
    beta_three 0.705
    gamma_two 0.705
    ");
}

#[test]
fn letters_are_counted_not_bytes() {
    // Two of eight characters differ; of bytes it would be two of nine.
    assert_snapshot!(search("app/größere", Ladder, "grössere"), @"größere 0.525");
}
