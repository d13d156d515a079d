//! 1. Hits are sorted by score, and contain their scores, reasons and complete input schemas.
//! 2. An invalid limit falls back to the default, and no limit exceeds the maximum.
//! 3. An empty result is explained on stderr and is not an error.
//!
//! `flags` tests the options of search, `notes` the messages about empty results and unavailable
//! sources, and `feedback` the relevance feedback.

mod feedback;
mod flags;
mod notes;

use crate::serve::LIBRARY;
use crate::world::{Outcome, World};
use serde_json::{Value, json};

fn library() -> World {
    let mut world = World::project();
    for (name, description, keywords) in LIBRARY {
        let target = json!({"type": "string", "description": "What to work on"});
        let schema =
            json!({"type": "object", "properties": {"target": target}, "required": ["target"]});
        let run = json!({"command": ["cat"]});
        let tool = json!({"name": name, "description": description, "keywords": keywords, "input_schema": schema, "run": run});
        world = world.file(&format!("tools/{name}.tool.json"), &tool.to_string());
    }
    world
}

/// This many tools with short descriptions, `tool-000` and so on.
fn many(count: usize) -> World {
    let tool =
        |value| format!("[[tool]]\nname = \"tool-{value:03}\"\n[tool.run]\ncommand = [\"cat\"]\n");
    World::project().file("tools/many.tool.toml", &(0..count).map(tool).collect::<String>())
}

fn search(world: &World, args: &[&str]) -> Outcome {
    world.run(&[&["search", "--json"], args].concat()).exits(0)
}

fn names(outcome: &Outcome) -> Vec<String> {
    outcome
        .json()
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| item["name"].as_str().unwrap_or("?").to_owned())
        .collect()
}

/// The hits as `name score`, one per line.
fn scored(outcome: &Outcome) -> String {
    let hits = outcome.json();
    let line =
        |value: &Value| format!("{} {}\n", value["name"].as_str().unwrap_or("?"), value["score"]);
    hits.as_array().expect("a list").iter().map(line).collect()
}

/// the scores of the `ladder` profile.
#[test]
fn the_ladder_profile_returns_the_documented_scores() {
    let world = library();
    for (query, expected) in [
        ("  Send_Email ", "send_email 1.0\n"),
        ("send", "send_email 0.9\n"),
        ("email", "list_emails 0.85\nsend_email 0.85\n"),
        ("mail", "list_emails 0.85\nsend_email 0.8\n"),
        ("databse", "database_backup 0.525\nsql_query 0.525\n"),
        ("send email", "send_email 0.7875\nlist_emails 0.2125\n"),
        ("report", "create_pdf 0.85\nhealth_check 0.6\n"),
    ] {
        assert_eq!(scored(&search(&world, &["--profile", "ladder", query])), expected, "{query:?}");
    }
}

/// A query need not be quoted.
#[test]
fn several_words_form_one_query() {
    let world = library();
    let apart = search(&world, &["--profile", "ladder", "send", "email"]);
    assert_eq!(apart, search(&world, &["--profile", "ladder", "send email"]));
}

/// an empty, blank or omitted query.
#[test]
fn an_empty_query_lists_tools_by_name() {
    let world = library();
    let three = "analyze_data 1.0\ncleanup_logs 1.0\ncreate_pdf 1.0\n";
    for query in [&[""][..], &["   "], &[]] {
        let args = [&["--profile", "ladder", "--limit", "3"], query].concat();
        assert_eq!(scored(&search(&world, &args)), three, "{query:?}");
    }
}

/// the JSON output is an empty list.
#[test]
fn an_empty_result_is_explained_on_stderr() {
    let world = library();
    for profile in ["ladder", "ladder2", "substring"] {
        let nothing = search(&world, &["--profile", profile, "zzz_no_such_thing"]);
        assert_eq!(nothing.out, "[]\n");
        nothing.stderr_contains(&[
            "No tools found. Try different keywords or a broader search term.",
            "list all 10 tools",
        ]);
    }
    let nothing = world.run(&["search", "zzz_no_such_thing"]).exits(0);
    assert_eq!(nothing.out, "");
    World::project()
        .run(&["search", "x"])
        .exits(0)
        .stderr_contains(&["this project has no tools yet", "hint: put a script"]);
    World::bare()
        .run(&["search", "x"])
        .exits(0)
        .stderr_contains(&["this folder is not a project", "hint: make it one with `touch"]);
}

/// 0, −3, nothing at all, `x`.
#[test]
fn an_invalid_limit_falls_back_to_the_default() {
    let world = many(15);
    for limit in [
        &["--limit", "0"][..],
        &["--limit", "-3"],
        &[],
        &["--limit", "x"],
        &["-n", "99999999999999999999"],
    ] {
        assert_eq!(names(&search(&world, limit)).len(), 10, "{limit:?}");
    }
    assert_eq!(names(&search(&world, &["-n", "12"])).len(), 12);
}

/// 1000 of 150 tools.
#[test]
fn at_most_a_hundred_hits_are_returned() {
    let all = names(&search(&many(150), &["--limit", "1000"]));
    assert_eq!((all.len(), all[0].as_str(), all[99].as_str()), (100, "tool-000", "tool-099"));
}

/// the profile `substring` keeps the order of registration.
#[test]
fn the_substring_profile_keeps_registration_order() {
    let tool = |name: &str, description: &str| {
        format!(
            "[[tool]]\nname = \"{name}\"\ndescription = \"{description}\"\n[tool.run]\ncommand = [\"cat\"]\n"
        )
    };
    let text = tool("github_search", "Search repositories")
        + &tool("github_create_issue", "Create issue")
        + &tool("slack_send", "Send message");
    let world = World::project().file("tools/all.tool.toml", &text);
    let found = |query: &str| names(&search(&world, &["--profile", "substring", query]));
    assert_eq!(found("github"), ["github_search", "github_create_issue"]);
    assert_eq!(found("message"), ["slack_send"]);
    assert_eq!(found("nonexistent"), [""; 0]);
    assert_eq!(found(""), ["github_search", "github_create_issue", "slack_send"]);
}

///
#[test]
fn every_hit_contains_everything_for_a_call() {
    let world = library();
    let hits = search(&world, &["email"]).json();
    assert!(hits.as_array().is_some_and(|hits| hits.len() >= 2), "{hits}");
    for hit in hits.as_array().expect("a list") {
        assert!(
            hit["name"].is_string() && hit["description"].is_string() && hit["score"].is_f64(),
            "{hit}"
        );
        assert_eq!(hit["inputSchema"]["properties"]["target"]["type"], "string");
        assert_eq!(hit["inputSchema"]["required"], json!(["target"]));
        assert_eq!(hit["id"], format!("local/{}", hit["name"].as_str().unwrap_or_default()));
        assert_eq!(hit["digest"].as_str().map(str::len), Some(64), "{hit}");
        assert!(hit["why"].as_array().is_some_and(|items| !items.is_empty()), "{hit}");
    }
    let id = hits[0]["id"].as_str().expect("an id");
    assert_eq!(
        world.stdout(&["run", id, "--target", "x"]),
        "{\"target\":\"x\"}\n",
        "a hit's id can be run"
    );
}

/// Text output: score, name, description and reasons.
#[test]
fn text_output_shows_scores_and_reasons() {
    let output = library().stdout(&["search", "--profile", "ladder", "smtp"]);
    let (first, second) = output.trim_end().split_once('\n').expect("two lines");
    assert_eq!(first, "0.85  local/send_email - Send an email to a recipient");
    assert!(second.trim_start().starts_with("because: ") && second.contains("smtp"), "{output}");
}
