//! 1. A tool that was called after a query ranks first the next time, across processes and for
//!    agents.
//! 2. Feedback can be listed and erased.
//! 3. Feedback can be turned off for a run or permanently.

use super::{library, names, search};
use crate::serve::Agent;
use crate::world::World;
use serde_json::json;
use std::path::Path;

fn first(world: &World, more: &[&str]) -> String {
    names(&search(world, &[&["container"], more].concat()))[0].clone()
}

/// Two tools with the same score, of which the second was called after a search.
fn with_feedback() -> World {
    let world = library();
    assert_eq!(first(&world, &[]), "docker_build");
    world.stdout(&["run", "kubernetes_deploy", "--target", "x"]);
    world
}

#[test]
fn a_tool_called_after_a_search_ranks_first_next_time() {
    let world = with_feedback();
    assert_eq!(first(&world, &[]), "kubernetes_deploy");
    let output = world.stdout(&["search", "container"]);
    assert!(output.contains("was called after a similar search"), "{output}");
    let output = world.stdout(&["search", "--explain", "container"]);
    assert!(output.contains(", feedback "), "{output}");
}

#[test]
fn successful_calls_by_name_are_feedback_and_failures_are_not() {
    let world = library().file(
        "tools/fails.tool.json",
        &json!({"name": "container_fails", "description": "A container",
        "run": {"command": ["false"]}, "input_schema": {"type": "object", "properties": {}}})
        .to_string(),
    );
    search(&world, &["container"]);
    world.run(&["run", "container_fails"]).exits(1);
    assert_eq!(search_learned(&world), json!([]));
    world.stdout(&["kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world)[0]["tool"], "local/kubernetes_deploy");
}

fn search_learned(world: &World) -> serde_json::Value {
    world.run(&["search", "learned", "--json"]).exits(0).json()
}

#[test]
fn feedback_can_be_listed() {
    let world = with_feedback();
    let shown = search_learned(&world);
    assert_eq!(shown.as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(
        (&shown[0]["tool"], &shown[0]["query"]),
        (&json!("local/kubernetes_deploy"), &json!("container"))
    );
    assert_eq!(shown[0]["count"], 1);
    let text = world.stdout(&["search", "learned"]);
    assert!(text.starts_with("local/kubernetes_deploy\n  container ("), "{text}");
    assert_eq!(world.stdout(&["search", "learned", "--tool", "kubernetes_deploy"]), text);
    let none = world.run(&["search", "learned", "--tool", "send_email"]).exits(0);
    assert_eq!(none.out, "");
    none.stderr_contains(&["No relevance feedback about `send_email` yet."]);
}

#[test]
fn feedback_can_be_erased() {
    let world = with_feedback();
    search(&world, &["archive"]);
    world.stdout(&["run", "database_backup", "--target", "x"]);
    assert_eq!(search_learned(&world).as_array().map(Vec::len), Some(2));
    world
        .run(&["search", "forget"])
        .exits(2)
        .stderr_contains(&["nothing selected to erase", "--all"]);
    world.run(&["search", "forget", "--all", "--tool", "x"]).exits(2);
    world
        .run(&["search", "forget", "--all"])
        .exits(0)
        .stderr_contains(&["Would erase 2 feedback records", "use --yes to do it"]);
    world
        .run(&["--dry-run", "search", "forget", "--all", "--yes"])
        .exits(0)
        .stderr_contains(&["Would erase 2 feedback records"]);
    assert_eq!(
        search_learned(&world).as_array().map(Vec::len),
        Some(2),
        "a dry run erases nothing"
    );
    let forgot =
        world.run(&["search", "forget", "--tool", "local/kubernetes_deploy", "--yes"]).exits(0);
    forgot.stderr_contains(&["Erased 1 feedback record about `local/kubernetes_deploy`"]);
    assert_eq!(search_learned(&world)[0]["tool"], "local/database_backup");
    assert_eq!(first(&world, &[]), "docker_build");
    // The most recent query is erased, too.
    world
        .run(&["search", "forget", "--all", "--yes"])
        .exits(0)
        .stderr_contains(&["Erased 1 feedback record"]);
    world.stdout(&["run", "kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world), json!([]));
}

/// A removed tool is erased by its former name.
#[test]
fn feedback_of_a_removed_tool_can_be_erased() {
    let world = with_feedback();
    std::fs::remove_file(world.path("tools/kubernetes_deploy.tool.json")).expect("remove the tool");
    assert_eq!(first(&world, &[]), "docker_build");
    world
        .run(&["search", "forget", "--tool", "kubernetes_deploy", "--yes"])
        .exits(0)
        .stderr_contains(&["Erased 1 feedback record"]);
    assert_eq!(search_learned(&world), json!([]));
}

/// A query may start with any word.
#[test]
fn queries_that_start_with_a_subcommand_word_are_searched() {
    let world = library();
    let pending = search(&world, &["forget", "a", "container", "--limit", "1"]);
    assert_eq!(names(&pending).len(), 1);
    assert_eq!(names(&search(&world, &["learned", "container"])).len(), 2);
}

#[test]
fn feedback_can_be_disabled() {
    let world = library();
    for off in [&["--no-learn"][..], &[]] {
        let world =
            if off.is_empty() { library().var("TOOLSCOUT_NO_LEARN", "1") } else { library() };
        world.run(&[off, &["search", "container"]].concat()).exits(0);
        world.run(&[off, &["run", "kubernetes_deploy", "--target", "x"]].concat()).exits(0);
        assert_eq!(search_learned(&world), json!([]), "{off:?}");
    }
    let world = world.file("toolscout.toml", "[search]\nlearn = false\n");
    search(&world, &["container"]);
    world.stdout(&["run", "kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world), json!([]));
    let world = world.file("toolscout.toml", "[search]\nlaern = false\n");
    world
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["`search.laern` is an unknown key; did you mean `learn`?"]);
}

#[test]
fn existing_feedback_is_ignored_if_learning_is_disabled() {
    let world = with_feedback();
    assert_eq!(first(&world, &[]), "kubernetes_deploy");
    assert_eq!(first(&world, &["--no-learn"]), "docker_build");
    let mine = world.temp_dir().join("config/config.toml");
    std::fs::create_dir_all(mine.parent().expect("a folder")).expect("make it");
    std::fs::write(&mine, "[search]\nlearn = false\n").expect("write it");
    let world = world.file("toolscout.toml", "[search]\nlearn = true\n");
    assert_eq!(first(&world, &[]), "docker_build", "a project does not override the user");
}

#[test]
fn secrets_in_queries_are_not_stored() {
    let world = library();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    search(&world, &["--lexical", "container", "token", secret]);
    world.stdout(&["run", "docker_build", "--target", "x"]);
    let shown = world.stdout(&["search", "learned"]);
    assert!(shown.contains("container token [REDACTED]"), "{shown}");
    let state = world.temp_dir().join("state");
    let files = |folder: &Path| std::fs::read_dir(folder).expect("a folder of the state").flatten();
    let all: Vec<_> = files(&state)
        .chain(files(&state.join("asked")))
        .filter(|file| file.path().is_file())
        .collect();
    assert!(all.len() > 1, "{all:?}");
    for file in all {
        let bytes = std::fs::read(file.path()).expect("a file");
        assert!(
            !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
            "{:?}",
            file.path()
        );
    }
}

/// A search and a call of one agent change the results of the next agent, for direct calls and for
/// calls with `execute_tool`. The initial order of the two tools depends on whether they are
/// already in the semantic index, so the test calls the second one.
#[test]
fn agents_create_and_use_feedback() {
    for is_direct in [false, true] {
        let world = library().var("TOOLSCOUT_TRUST", "1");
        let mut agent = Agent::legacy(&world, &[]);
        let ask = json!({"query": "container", "detail": "names"});
        let found = agent.text("tool_search", ask.clone());
        let second = found
            .lines()
            .nth(1)
            .and_then(|line| line.strip_prefix("local/"))
            .expect("two tools")
            .to_owned();
        if is_direct {
            agent.text(&format!("local__{second}"), json!({"target": "x"}))
        } else {
            agent.text("execute_tool", json!({"name": second, "arguments": {"target": "x"}}))
        };
        agent.end();
        assert_eq!(first(&world, &[]), second, "{is_direct}");
        let mut another = Agent::legacy(&world, &[]);
        let found = another.text("tool_search", ask);
        assert!(found.starts_with(&format!("local/{second}")), "{is_direct}: {found}");
    }
}
