//! 1. `bench retrieval` prints one JSON object, and writes every ranking to a file.
//! 2. Queries in the observed set are not evaluated; they serve as feedback for the others.
//! 3. An unreadable input is reported with its file and line.

use crate::world::World;
use serde_json::{Value, json};

const TOOLS: &str = r#"{"id": "chat::send", "name": "send_message", "server": "Team Chat", "description": "Posts a message to a channel"}
{"id": "mail.send", "name": "send.email", "description": "Sends an email", "input_schema": {"type": "object", "properties": {"to": {"type": "string"}}}}
{"id": "天気", "name": "天気予報", "server": "天気", "description": "Says what the weather will be"}
"#;

fn set(queries: &[Value]) -> World {
    let queries: String = queries.iter().map(|query| format!("{query}\n")).collect();
    World::project().file("set/tools.jsonl", TOOLS).file("set/queries.jsonl", &queries)
}

fn query(id: &str, text: &str, relevant: &str) -> Value {
    json!({"id": id, "query": text, "relevant": [relevant], "kind": "plain"})
}

#[test]
fn a_benchmark_set_is_measured_and_every_ranking_is_written() {
    let queries = [
        query("1", "post a message to the channel", "chat::send"),
        query("2", "email", "mail.send"),
        query("3", "weather", "天気"),
    ];
    let world = set(&queries);
    let out =
        world.stdout(&["bench", "retrieval", "--data", "set", "--lexical", "--run", "run.jsonl"]);
    let report: Value = serde_json::from_str(&out).expect("one JSON object");
    for key in ["ndcg@10", "recall@1", "recall@3", "recall@5", "recall@10", "mrr", "hit@1", "hit@5"]
    {
        assert_eq!(report[key], 1.0, "{key}");
        assert_eq!(report["kinds"]["plain"][key], 1.0, "{key}");
    }
    assert_eq!(
        (&report["tools"], &report["queries"], &report["lexical"]),
        (&json!(3), &json!(3), &json!(true))
    );
    for key in ["build_ms", "search_p50_ms", "search_p99_ms"] {
        assert!(report[key].is_number(), "{key}");
    }
    let run = std::fs::read_to_string(world.path("run.jsonl")).expect("a run file");
    let run: Vec<Value> =
        run.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(run.iter().map(|run| &run["id"]).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(
        run.iter().map(|run| &run["ranked"][0]).collect::<Vec<_>>(),
        ["chat::send", "mail.send", "天気"]
    );
}

#[test]
fn queries_used_as_feedback_are_not_measured_and_improve_the_rest() {
    let labelled_query = |id: &str| query(id, &format!("tell the gang {id}"), "chat::send");
    let world = set(&[
        labelled_query("now"),
        labelled_query("soon"),
        labelled_query("later"),
        labelled_query("tonight"),
    ]);
    let measure = |more: &[&str]| -> Value {
        let out =
            world.stdout(&[&["bench", "retrieval", "--data", "set", "--lexical"], more].concat());
        serde_json::from_str(&out).expect("one JSON object")
    };
    let (before, after) = (measure(&[]), measure(&["--learn", "0.5"]));
    assert_eq!(
        (&before["queries"], &before["observed"], &before["ndcg@10"]),
        (&json!(4), &json!(0), &json!(0.0))
    );
    assert_eq!((&after["queries"], &after["observed"]), (&json!(2), &json!(2)));
    assert!(after["ndcg@10"].as_f64() > Some(0.0), "{after}");
    let wrong = world.run(&["bench", "retrieval", "--data", "set", "--learn", "1"]);
    assert!(
        wrong.code != 0 && wrong.err.contains("`--learn` must be a number from 0 to less than 1"),
        "{}",
        wrong.err
    );
}

#[test]
fn an_unreadable_set_is_reported_with_its_position() {
    let world = set(&[]).file("set/queries.jsonl", "{\"id\": \"1\"}\n");
    let outcome = world.run(&["bench", "retrieval", "--data", "set"]);
    assert!(outcome.code != 0 && outcome.out.is_empty());
    assert!(
        outcome.err.contains("queries.jsonl`, line 1: missing field `query`"),
        "{}",
        outcome.err
    );
    let outcome = world.run(&["bench", "retrieval", "--data", "nowhere"]);
    assert!(
        outcome.err.contains("there is neither `queries.jsonl` nor `queries.jsonl.gz` in"),
        "{}",
        outcome.err
    );
}
