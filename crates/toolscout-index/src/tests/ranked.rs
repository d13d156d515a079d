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
    let meaning = QueryEmbedding::encode(&Concepts, text);
    let query = Query { embedding: Some(&meaning), ..Query::new(text) };
    index.search(&query).iter().map(|item| item.id.name.to_string()).collect()
}

#[test]
fn the_name_outweighs_the_description() {
    assert_eq!(first(&search(LIB10, RankingProfile::Ranked, "send an email")), "send_email");
    assert_eq!(first(&search(LIB10, RankingProfile::Ranked, "free disk space")), "cleanup_logs");
}

#[test]
fn a_typo_is_corrected() {
    for typo in ["kuberntes", "kubernetse", "kubernets deply", "bakcup databse"] {
        let page = search(LIB10, RankingProfile::Ranked, typo);
        assert!(
            page.starts_with("kubernetes_deploy") || page.starts_with("database_backup"),
            "{typo}: {page}"
        );
    }
}

#[test]
fn synonyms_match() {
    let tools = "a/resize_image -- Resize an image\na/play_song -- Play a song";
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "picture")), "resize_image");
}

#[test]
fn compound_words_match_joined_or_separate() {
    let tools = "a/open_webpage -- Opens it\na/data_base_dump -- Dumps it";
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "web page")), "open_webpage");
    assert_eq!(first(&search(tools, RankingProfile::Ranked, "database")), "data_base_dump");
}

#[test]
fn every_hit_has_a_reason() {
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
fn queries_of_stop_words_are_matched_literally() {
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
fn a_query_without_a_common_word_is_answered_by_embeddings() {
    let words_alone = index_of(LIB10);
    assert!(words_alone.search(&Query::new("correspondence")).is_empty());
    assert_eq!(names(&encoded(&words_alone), "correspondence")[..2], ["list_emails", "send_email"]);
}

#[test]
fn a_tool_without_an_embedding_is_found_by_its_words() {
    let index = index_of(LIB10);
    let one = index.without_vector(Concepts.id()).next().map(|(stamp, _)| stamp).unwrap();
    let index = index
        .with_vectors(Concepts.id(), [(one, crate::Vector::quantize(&Concepts.encode("email")))]);
    assert_eq!(index.vectors(), 1);
    assert_eq!(names(&index, "health check")[0], "health_check");
}

#[test]
fn meaning_alone_finds_nothing_without_an_encoder() {
    assert_eq!(search(LIB10, RankingProfile::Meaning, "send email"), "nothing");
}

#[test]
fn feedback_ranks_the_called_tool_first() {
    let index = index_of(LIB10);
    let question = "make room on the machine";
    let tool = index
        .tools
        .all
        .iter()
        .find(|item| item.id.name.as_str() == "cleanup_logs")
        .unwrap()
        .id
        .clone();
    let record = LearnedQuery { tool, query: question.to_owned(), embedding: None };
    let learned = LearnedQueries::new(vec![record]);
    let query = Query { learned: Some(&learned), ..Query::new("make room on this machine") };
    let hits = index.search(&query);
    assert_eq!(hits[0].id.name.as_str(), "cleanup_logs");
    assert_eq!(hits[0].reasons[0], "was called after a similar search");
    assert!(
        index
            .search(&Query::new(question))
            .iter()
            .all(|item| item.id.name.as_str() != "cleanup_logs")
    );
}

#[test]
fn the_order_of_tools_and_the_number_of_threads_change_nothing() {
    let lines: Vec<&str> = LIB10.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut backwards = lines.clone();
    backwards.reverse();
    let questions = ["send", "database", "container build", "delete old things", "report status"];
    let answers = |lines: &[&str]| {
        let tools: Vec<_> = lines.iter().map(|line| Arc::new(tool(line))).collect();
        let documents: Vec<_> =
            tools.iter().zip(1..).map(|(tool, stamp)| document(tool, stamp)).collect();
        let index = encoded(&Index::build(&documents));
        questions.map(|question| names(&index, question))
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
