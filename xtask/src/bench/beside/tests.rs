//! 1. A run file is scored by the textbook definitions, from queries and ids alone.
//! 2. Sets are found alone, in a folder, and with the tools of another folder.
//! 3. Tables mark the best; the plot contains every method and set.

use super::methods::METHODS;
use super::page;
use super::score::{RankingScores, of_query, of_run};
use super::{ComparisonResult, QuerySet, sets};
use std::fs;
use std::path::PathBuf;

#[test]
fn places_two_and_four_of_three_score_as_in_the_books() {
    let figures = of_query(&["a", "X", "b", "Y", "c"], &["X", "Y", "Z"]);
    let (third, fifth) = (1.0 / 3f64.log2(), 1.0 / 5f64.log2());
    assert!((figures.ndcg_10 - 100.0 * (third + fifth) / (1.0 + third + 0.5)).abs() < 1e-9);
    assert!((figures.recall_5 - 200.0 / 3.0).abs() < 1e-9);
    assert_eq!(of_query(&[], &["X"]), RankingScores::default());
}

#[test]
fn a_run_that_lacks_an_answer_is_no_run() {
    let top = tempfile::tempdir().unwrap();
    let (queries, run) = (top.path().join("queries.jsonl"), top.path().join("run.jsonl"));
    let text = "{\"id\": \"1\", \"relevant\": [\"a\"]}\n{\"id\": \"2\", \"relevant\": []}\n{\"id\": \"3\", \"relevant\": [\"b\"]}\n";
    fs::write(&queries, text).unwrap();
    fs::write(&run, "{\"id\": \"1\", \"ranked\": [\"a\"]}\n{\"id\": \"3\", \"ranked\": []}\n")
        .unwrap();
    assert_eq!(of_run(&queries, &run).unwrap(), RankingScores { ndcg_10: 50.0, recall_5: 50.0 });
    fs::write(&run, "{\"id\": \"1\", \"ranked\": [\"a\"]}\n").unwrap();
    assert_eq!(of_run(&queries, &run).unwrap_err().to_string(), "no answer to \"3\"");
}

#[test]
fn sets_are_found_below_a_folder_in_the_order_asked_for() {
    let top = tempfile::tempdir().unwrap();
    for (set, file) in [
        ("one", "tools.jsonl"),
        ("one", "queries.jsonl.gz"),
        ("two", "queries.jsonl"),
        ("none", "tools.jsonl"),
    ] {
        fs::create_dir_all(top.path().join(set)).unwrap();
        fs::write(top.path().join(set).join(file), "").unwrap();
    }
    let names = |wanted: &[String]| -> Result<Vec<String>, String> {
        let found = sets::find(top.path(), wanted).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|item| item.name).collect())
    };
    assert_eq!(names(&[]).unwrap(), ["one"]);
    fs::write(top.path().join("two/TOOLS"), "Tools: the ones of ../one.\n").unwrap();
    assert_eq!(names(&["two".to_owned(), "one".to_owned()]).unwrap(), ["two", "one"]);
    assert!(
        names(&["three".to_owned()]).unwrap_err().starts_with("there is no query set `three` in")
    );
    let alone = sets::find(&top.path().join("two"), &[]).unwrap();
    assert!(alone[0].tools.ends_with("one/tools.jsonl"));
}

#[test]
fn tables_name_the_best_and_the_picture_holds_all() {
    let set = |name: &str| QuerySet {
        name: name.to_owned(),
        folder: PathBuf::new(),
        tools: PathBuf::new(),
        queries: PathBuf::new(),
    };
    let figures = |ndcg_10: f64| RankingScores { ndcg_10, recall_5: 100.0 - ndcg_10 };
    let rows = vec![
        (&METHODS[0], vec![figures(40.0), figures(90.0)]),
        (&METHODS[4], vec![figures(60.0), figures(80.0)]),
    ];
    let outcome = ComparisonResult { sets: vec![set("one"), set("a<b")], rows };
    let table = "\
| nDCG@10 | one | a<b | mean |
|---|---:|---:|---:|
| FastMCP, BM25 transform | 40.0 | **90.0** | 65.0 |
| toolscout | **60.0** | 80.0 | **70.0** |
";
    let page = page::markdown(&outcome);
    assert!(page.starts_with(table), "{page}");
    assert!(page.contains("| recall@5 | one | a<b | mean |"));
    let plot = page::plot(&outcome);
    for part in
        ["FastMCP, BM25 transform", ">one</text>", "a&lt;b", "prefers-color-scheme: dark", "</svg>"]
    {
        assert!(plot.contains(part), "{part}");
    }
    assert_eq!(plot.matches("<title>").count(), 6, "a bar for each method in each group");
}
