//! 1. The generated data is deterministic, of the requested size, and distributed like real texts.
//! 2. The generated server lists its tools page by page.

use super::generator::Generator;
use super::planted::Planted;
use super::{server, thousands};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;

fn texts(tools: &[Value]) -> String {
    tools.iter().map(|tool| format!("{} {}\n", tool["name"], tool["description"])).collect()
}

#[test]
fn the_same_seed_writes_the_same() {
    let made = |seed| Generator::new(seed).source(0, 20);
    assert_eq!(made(1).tools, made(1).tools);
    assert_ne!(texts(&made(1).tools), texts(&made(2).tools));
}

#[test]
fn tools_look_like_tools() {
    let mut generator = Generator::new(1);
    let source = generator.source(3, 200);
    let mut counts = [0; 9];
    for tool in &source.tools {
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(properties.values().all(|property| {
            property["description"].as_str().is_some_and(|description| description.len() > 8)
        }));
        counts[properties.len()] += 1;
        let sentences = tool["description"].as_str().unwrap().matches('.').count();
        assert!((1..=4).contains(&sentences));
    }
    assert!(counts[2..].iter().all(|count| *count > 0), "from two to eight parameters: {counts:?}");
    let question = generator.question(&source.tools[0]);
    assert!((3..=12).contains(&question.split(' ').count()), "{question}");
}

#[test]
fn a_few_words_are_everywhere_and_most_nearly_nowhere() {
    let mut generator = Generator::new(1);
    let text: String = (0..20).map(|index| texts(&generator.source(index, 50).tools)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    text.split(|c: char| !c.is_alphabetic())
        .filter(|part| part.len() > 3)
        .for_each(|part| *counts.entry(part).or_default() += 1);
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    assert!(counts.len() > 3_000, "{} different words", counts.len());
    assert!(counts[counts.len() / 2] <= 3 && counts[counts.len() - 1] > 100);
}

#[test]
fn as_many_tools_are_planted_as_asked_for_and_the_last_source_is_small() {
    let planted = Planted::new((1_000, 20)).unwrap();
    let text = fs::read_to_string(planted.tools()).unwrap();
    let tools: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut sources: Vec<&str> =
        tools.iter().map(|tool| tool["source"].as_str().unwrap()).collect();
    assert_eq!(sources.iter().filter(|source| *source == sources.last().unwrap()).count(), 50);
    sources.dedup();
    assert_eq!((tools.len(), sources.len()), (1_000, 20));
    assert_eq!(fs::read_to_string(planted.queries()).unwrap().lines().count(), 1_000);
}

#[test]
fn the_server_lists_its_tools_page_by_page() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("tools.jsonl");
    fs::write(
        &file,
        (0..300).map(|index| format!("{{\"name\": \"t{index}\"}}\n")).collect::<String>(),
    )
    .unwrap();
    let input = [
        json!({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}),
        json!({"method": "notifications/initialized"}),
        json!({"id": 2, "method": "tools/list"}),
        json!({"id": 3, "method": "tools/list", "params": {"cursor": "250"}}),
        json!({"id": 4, "method": "prompts/list"}),
    ];
    let input: String = input.iter().map(|item| format!("{item}\n")).collect();
    let mut output = Vec::new();
    server::run(&file, input.as_bytes(), &mut output).unwrap();
    let output: Vec<Value> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(output[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(
        (
            output[1]["result"]["tools"].as_array().unwrap().len(),
            &output[1]["result"]["nextCursor"]
        ),
        (250, &json!("250"))
    );
    assert_eq!(
        (
            output[2]["result"]["tools"].as_array().unwrap().len(),
            output[2]["result"].get("nextCursor")
        ),
        (50, None)
    );
    assert_eq!(output[3]["error"]["code"], -32601);
}

#[test]
fn large_numbers_are_written_so_that_they_can_be_read() {
    assert_eq!(
        [999, 1_000, 100_000, 1_234_567].map(thousands),
        ["999", "1,000", "100,000", "1,234,567"]
    );
}
