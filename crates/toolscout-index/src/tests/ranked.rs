//! Words, embeddings and use in one order.

use super::{Concepts, LIB10, document, encoded, explain, index_of, search, tool};
use crate::{Encoder, Index, LearnedQueries, LearnedQuery, Query, QueryEmbedding, RankingProfile};
use insta::assert_snapshot;
use std::sync::Arc;

fn first(page: &str) -> &str {
    page.split(' ').next().unwrap_or_default()
}

/// The names of the hits for a query, with embeddings.
fn names(index: &Index, text: &str) -> Vec<String> {
    let meaning = QueryEmbedding::of(&Concepts, text);
    let query = Query { meaning: Some(&meaning), ..Query::new(text) };
    index.search(&query).iter().map(|it| it.id.name.to_string()).collect()
}

#[test]
fn the_name_counts_most_then_what_a_tool_says_it_does() {
    assert_eq!(first(&search(LIB10, RankingProfile::Ranked, "send an email")), "send_email");
    assert_eq!(first(&search(LIB10, RankingProfile::Ranked, "free disk space")), "cleanup_logs");
}

#[test]
fn a_slip_of_the_finger_is_forgiven() {
    for typo in ["kuberntes", "kubernetse", "kubernets deply", "bakcup databse"] {
        let page = search(LIB10, RankingProfile::Ranked, typo);
        assert!(
            page.starts_with("kubernetes_deploy") || page.starts_with("database_backup"),
            "{typo}: {page}"
        );
    }
}

#[test]
fn other_words_for_the_same_are_understood() {
    let tools = "a/resize_image -- Resize an image\na/play_song -- Play a song";
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "picture")), "resize_image");
}

#[test]
fn words_may_be_joined_or_apart() {
    let tools = "a/open_webpage -- Opens it\na/data_base_dump -- Dumps it";
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "web page")), "open_webpage");
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "database")), "data_base_dump");
}

#[test]
fn every_hit_says_why() {
    assert_snapshot!(explain(LIB10, RankingProfile::Ranked, "sned emails").lines().next().unwrap_or_default(),
        @"app/send_email: `send` (you typed `sned`) in name, description, `emails` in name, description, keywords");
}

#[test]
fn nonsense_finds_nothing() {
    for nonsense in ["asdfghjkl", "xkqzvw plmrt", "!!! ???", "9f8e7d6c5b4a", "πφψ ξζθ"] {
        assert_eq!(search(LIB10, RankingProfile::Ranked, nonsense), "nothing", "{nonsense}");
    }
}

#[test]
fn words_that_say_nothing_are_looked_up_as_they_are() {
    assert_eq!(
        first(&search(
            "app/help -- Shows help\napp/other -- Other",
            RankingProfile::Ranked,
            "help"
        )),
        "help"
    );
}

#[test]
fn a_question_without_a_common_word_is_answered_by_meaning() {
    let words_alone = index_of(LIB10);
    assert!(words_alone.search(&Query::new("correspondence")).is_empty());
    assert_eq!(names(&encoded(&words_alone), "correspondence")[..2], ["list_emails", "send_email"]);
}

#[test]
fn a_tool_that_is_not_encoded_yet_is_found_by_its_words() {
    let index = index_of(LIB10);
    let one = index.without_vector(Concepts.id()).next().map(|(stamp, _)| stamp).unwrap();
    let index =
        index.with_vectors(Concepts.id(), [(one, crate::Vector::of(&Concepts.encode("email")))]);
    assert_eq!(index.vectors(), 1);
    assert_eq!(names(&index, "health check")[0], "health_check");
}

#[test]
fn meaning_alone_finds_nothing_without_an_encoder() {
    assert_eq!(search(LIB10, RankingProfile::Meaning, "send email"), "nothing");
}

#[test]
fn what_was_called_after_a_question_comes_first_the_next_time() {
    let index = index_of(LIB10);
    let question = "make room on the machine";
    let tool =
        index.tools.all.iter().find(|it| it.id.name.as_str() == "cleanup_logs").unwrap().id.clone();
    let lesson = LearnedQuery { tool, question: question.to_owned(), meaning: None };
    let learned = LearnedQueries::of(vec![lesson]);
    let query = Query { learned: Some(&learned), ..Query::new("make room on this machine") };
    let hits = index.search(&query);
    assert_eq!(hits[0].id.name.as_str(), "cleanup_logs");
    assert_eq!(hits[0].why[0], "was called after such a question");
    assert!(
        index.search(&Query::new(question)).iter().all(|it| it.id.name.as_str() != "cleanup_logs")
    );
}

#[test]
fn the_order_of_tools_and_the_number_of_threads_change_nothing() {
    let lines: Vec<&str> = LIB10.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    let mut backwards = lines.clone();
    backwards.reverse();
    let questions = ["send", "database", "container build", "delete old things", "report status"];
    let answers = |lines: &[&str]| {
        let tools: Vec<_> = lines.iter().map(|it| Arc::new(tool(it))).collect();
        let documents: Vec<_> =
            tools.iter().zip(1..).map(|(tool, stamp)| document(tool, stamp)).collect();
        let index = encoded(&Index::build(&documents));
        questions.map(|it| names(&index, it))
    };
    let expected = answers(&lines);
    assert_eq!(answers(&backwards), expected);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| answers(&lines))).collect();
        for one in all {
            assert_eq!(one.join().unwrap(), expected);
        }
    });
}
