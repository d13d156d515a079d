//! Rates over the pairs in `findings/cases`: poisoned definitions, each with a benign twin.

use super::{ToolNameIndex, id, is_severe, scan};
use serde_json::{Map, Value};
use toolscout_core::{RawJson, Tool};

const DEVELOP: &str = include_str!("../cases/develop.jsonl");
const HELD_OUT: &str = include_str!("../cases/held-out.jsonl");

/// A tool with this definition.
fn tool(definition: &Value) -> Tool {
    let text = |key: &str| definition[key].as_str().map(str::to_owned);
    let raw = |key: &str| definition.get(key).map(RawJson::from_value);
    let known = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
    let extra: Map<String, Value> = definition
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| !known.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Tool {
        title: text("title"),
        description: text("description"),
        input_schema: raw("inputSchema").unwrap(),
        output_schema: raw("outputSchema"),
        annotations: raw("annotations"),
        extra: (!extra.is_empty()).then(|| RawJson::from_value(&extra.into())),
        ..Tool::new(id("server", &text("name").unwrap()))
    }
}

/// The kinds of the definitions under this key that the scan finds severe or not, as wanted.
fn kinds(half: &str, key: &str, severe: bool) -> Vec<String> {
    let names = ToolNameIndex::new([&id("mail", "send_email"), &id("files", "read_file")]);
    let pairs = half.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let matching = pairs.filter(|pair| is_severe(&scan(&tool(&pair[key]), &names)) == severe);
    matching.map(|pair| format!("{} {}", pair["kind"], pair[key]["name"])).collect()
}

/// The missed poisoned definitions and the benign ones that are found.
fn failures(half: &str) -> [Vec<String>; 2] {
    [kinds(half, "poisoned", false), kinds(half, "benign", true)]
}

fn is_good([missed, wrong]: &[Vec<String>; 2], pairs: usize) -> bool {
    missed.len() * 10 <= pairs && wrong.len() * 100 <= pairs * 3
}

/// V-40: the half that the phrases were written with.
#[test]
fn poisoned_definitions_are_found_and_their_twins_are_not() {
    let (pairs, failures) = (DEVELOP.lines().count(), failures(DEVELOP));
    assert!(pairs >= 60 && is_good(&failures, pairs), "{failures:#?}");
}

/// V-41: the half that the phrases were not written with. The message has only numbers, since
/// the detector must not be improved by looking at these.
#[test]
#[allow(clippy::print_stdout, reason = "the guide quotes these rates")]
fn so_are_those_that_were_held_out() {
    let (pairs, failures) = (HELD_OUT.lines().count(), failures(HELD_OUT));
    let [missed, wrong] = failures.each_ref().map(Vec::len);
    println!("{missed} of {pairs} missed, {wrong} benign ones found");
    assert!(pairs >= 60 && is_good(&failures, pairs), "{missed} missed, {wrong} wrong of {pairs}");
}

#[test]
fn no_pair_is_in_both_halves() {
    let held_out: Vec<_> = HELD_OUT.lines().collect();
    assert!(DEVELOP.lines().all(|line| !held_out.contains(&line)));
}
