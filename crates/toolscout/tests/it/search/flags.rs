//! The options of search: a single source, an explanation, and keyword search only.

use super::{library, names, search};
use crate::world::World;
use serde_json::{Value, json};

/// A folder with 120 tools that match better than the one tool of the requested server.
fn crowd() -> World {
    let tool = |value| {
        format!(
            "[[tool]]\nname = \"send-{value:03}\"\ndescription = \"Send mail\"\n[tool.run]\ncommand = [\"cat\"]\n"
        )
    };
    let world =
        World::trusted().file("tools/many.tool.toml", &(0..120).map(tool).collect::<String>());
    let tools = json!([
        {"name": "letter", "description": "Send a letter by mail", "inputSchema": {"type": "object"}},
        {"name": "other", "description": "Sings", "inputSchema": {"type": "object"}},
    ]);
    let world = world.listing("post", &tools);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn the_source_filter_applies_before_the_limit() {
    let world = crowd();
    for profile in ["ranked", "ladder", "ladder2"] {
        let found = search(
            &world,
            &["--profile", profile, "--source", "post", "--limit", "1", "send mail"],
        );
        assert_eq!(names(&found), ["letter"], "{profile}");
    }
    let both = search(&world, &["--source", "post", "--source", "local", "-n", "100", "send mail"]);
    let both = names(&both);
    assert!(both.len() == 100 && both.iter().any(|item| item.starts_with("send-")), "{both:?}");
    assert_eq!(names(&search(&world, &["--source", "post", ""])), ["letter", "other"]);
}

#[test]
fn an_unknown_source_is_an_error_with_a_suggestion() {
    let world = crowd();
    world
        .run(&["search", "--source", "pots", "mail"])
        .exits(5)
        .stderr_contains(&["there is no source `pots`", "did you mean `post`?"]);
    world
        .run(&["search", "--source", "zzzzzz", "mail"])
        .exits(5)
        .stderr_contains(&["known sources: local, post"]);
}

#[test]
fn explain_shows_how_the_query_was_parsed() {
    let world = library().var("TOOLSCOUT_TRUST", "1");
    let output = world.stdout(&["search", "--explain", "databse", "backup"]);
    assert!(output.starts_with("read as: databse (corrected to database), backup"), "{output}");
    assert!(
        output.contains("score: keywords ")
            && output.contains("source approved")
            && output.contains("because: "),
        "{output}"
    );
    let data = search(&world, &["--explain", "databse backup"]).json();
    assert_eq!(data["query"]["words"][0]["corrected"], json!(["database"]), "{data}");
    let best = &data["results"][0];
    assert_eq!(
        (&best["id"], best["parts"]["sourceApproved"].as_bool()),
        (&json!("local/database_backup"), Some(true))
    );
    assert!(best["parts"]["lexical"].as_f64().is_some_and(|lexical| lexical > 0.0), "{best}");
    let other = search(&world, &["--explain", "--profile", "ladder", "backup"]).json();
    assert_eq!(other["results"][0]["parts"], Value::Null, "the ladder profile has no parts");
}

#[test]
fn explain_shows_the_translation_of_a_query() {
    let output = library().stdout(&["search", "--explain", "eine E-Mail senden"]);
    assert!(output.starts_with("in English: "), "{output}");
}

#[test]
fn lexical_search_ignores_embeddings() {
    let world = library();
    let data = search(&world, &["--lexical", "--explain", "send an email"]).json();
    assert_eq!(data["results"][0]["id"], "local/send_email");
    assert_eq!(data["results"][0]["parts"]["semantic"], Value::Null);
}
