//! 1. The built-in set is large and valid, and a third of it avoids the tools' own words.
//! 2. So is the one in other languages.

use crate::plugins::bench::set::{Set, SetQuery, SetTool};
use std::collections::{HashMap, HashSet};
use std::path::Path;

const OTHER_WORDS: &str = "other words";

/// Stop words.
const EMPTY: &str = "a about after again all also an and any anybody anything are as at back be before between but by can could \
    did do does down everybody everything for from get give go got had has have he her here him his how i if in into is it its just \
    let make many may me might more most much must my new no nobody not of off old on once one only or other others our out over put \
    same say set shall she should show so some somebody something take tell ten than that the their them then there these they this \
    those to too two under until up us very was way we what when where which who whom why will with without would you your";

#[test]
fn the_set_is_large_and_sound() {
    let set = Set::built_in().unwrap_or_else(|error| panic!("{error}"));
    let servers: HashSet<_> = set.tools.iter().filter_map(|tool| tool.server.as_deref()).collect();
    assert!(set.tools.len() >= 200 && servers.len() >= 25 && set.queries.len() >= 200);
    assert_eq!(set.notes, [""; 0]);
    assert!(set.tools.iter().all(|tool| tool.description.is_some() && tool.input_schema.is_some()));
    let texts: HashSet<_> = set.queries.iter().map(|query| query.query.as_str()).collect();
    assert_eq!(texts.len(), set.queries.len(), "every query is unique");
}

#[test]
fn a_third_of_the_questions_avoid_the_tools_own_words() {
    let set = Set::built_in().unwrap_or_else(|error| panic!("{error}"));
    let tools: HashMap<_, _> = set.tools.iter().map(|tool| (tool.id.as_str(), tool)).collect();
    let avoiding: Vec<_> =
        set.queries.iter().filter(|query| query.kind.as_deref() == Some(OTHER_WORDS)).collect();
    assert!(avoiding.len() * 3 >= set.queries.len());
    for query in avoiding {
        for id in &query.relevant {
            let shared: Vec<_> =
                stems(&query.query).intersection(&own_words(tools[id.as_str()])).cloned().collect();
            assert_eq!(shared, [""; 0], "`{}` and {id}", query.query);
        }
    }
}

#[test]
fn the_same_is_asked_in_every_language() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/retrieval/languages");
    let set = Set::read(&folder).unwrap_or_else(|error| panic!("{error}"));
    let mut languages: HashMap<&str, Vec<&SetQuery>> = HashMap::new();
    set.queries.iter().for_each(|query| {
        languages.entry(query.kind.as_deref().unwrap_or_default()).or_default().push(query)
    });
    assert!(languages.len() >= 7, "at least seven languages");
    let wanted = |queries: &[&SetQuery]| {
        queries.iter().map(|query| query.relevant.clone()).collect::<Vec<_>>()
    };
    assert!(languages["en"].len() >= 20);
    assert!(languages.values().all(|language| wanted(language) == wanted(&languages["en"])));
}

fn own_words(tool: &SetTool) -> HashSet<String> {
    stems(&format!("{} {}", apart(tool.name()), tool.description.as_deref().unwrap_or_default()))
}

/// `createIssue` as two words.
fn apart(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            text.push(' ');
        }
        text.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    text
}

/// The approximate stems of the words that are not stop words.
fn stems(text: &str) -> HashSet<String> {
    let empty: HashSet<_> = EMPTY.split_whitespace().collect();
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let telling = words.filter(|word| !word.is_empty() && !empty.contains(word.as_str()));
    telling
        .map(|telling| {
            if telling.len() > 5 {
                telling.chars().take(5).collect()
            } else {
                telling.trim_end_matches('s').to_owned()
            }
        })
        .collect()
}
