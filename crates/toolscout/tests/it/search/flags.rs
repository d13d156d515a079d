//! What a question can be asked with: one source, an explanation, words alone.

use super::{library, names, search};
use crate::world::World;
use serde_json::{Value, json};

/// A folder whose hundred and twenty tools fit better than the one of a server that is asked for.
fn crowd() -> World {
    let tool = |it| {
        format!(
            "[[tool]]\nname = \"send-{it:03}\"\ndescription = \"Send mail\"\n[tool.run]\ncommand = [\"cat\"]\n"
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
fn one_source_is_asked_before_the_limit_is_counted() {
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
    assert!(both.len() == 100 && both.iter().any(|it| it.starts_with("send-")), "{both:?}");
    assert_eq!(names(&search(&world, &["--source", "post", ""])), ["letter", "other"]);
}

#[test]
fn a_source_that_is_not_there_is_an_error_that_names_the_nearest() {
    let world = crowd();
    world
        .run(&["search", "--source", "pots", "mail"])
        .exits(5)
        .says(&["there is no source `pots`", "Did you mean `post`?"]);
    world
        .run(&["search", "--source", "zzzzzz", "mail"])
        .exits(5)
        .says(&["Known sources: local, post"]);
}

#[test]
fn an_explanation_says_how_the_question_was_read() {
    let world = library().var("TOOLSCOUT_TRUST", "1");
    let said = world.out(&["search", "--explain", "databse", "backup"]);
    assert!(said.starts_with("read as: databse (taken for database), backup"), "{said}");
    assert!(
        said.contains("made of: words ")
            && said.contains("source approved")
            && said.contains("because: "),
        "{said}"
    );
    let data = search(&world, &["--explain", "databse backup"]).json();
    assert_eq!(data["question"]["words"][0]["corrected"], json!(["database"]), "{data}");
    let best = &data["results"][0];
    assert_eq!(
        (&best["id"], best["parts"]["approved"].as_bool()),
        (&json!("local/database_backup"), Some(true))
    );
    assert!(best["parts"]["words"].as_f64().is_some_and(|it| it > 0.0), "{best}");
    let other = search(&world, &["--explain", "--profile", "ladder", "backup"]).json();
    assert_eq!(other["results"][0]["parts"], Value::Null, "a ladder has rungs, not parts");
}

#[test]
fn a_question_in_another_language_is_shown_as_it_was_understood() {
    let said = library().out(&["search", "--explain", "eine E-Mail senden"]);
    assert!(said.starts_with("in English: "), "{said}");
}

#[test]
fn words_alone_can_decide() {
    let world = library();
    let data = search(&world, &["--lexical", "--explain", "send an email"]).json();
    assert_eq!(data["results"][0]["id"], "local/send_email");
    assert_eq!(data["results"][0]["parts"]["meaning"], Value::Null);
}
