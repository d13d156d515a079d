//! 1. What is run after a question comes first the next time, from one process to the next, and for agents.
//! 2. It can be shown, and forgotten.
//! 3. It can be switched off: for a run, and for good.

use super::{library, names, search};
use crate::serve::Agent;
use crate::world::World;
use serde_json::json;
use std::path::Path;

fn first(world: &World, more: &[&str]) -> String {
    names(&search(world, &[&["container"], more].concat()))[0].clone()
}

/// Two that are found alike, of which somebody runs the second.
fn taught() -> World {
    let world = library();
    assert_eq!(first(&world, &[]), "docker_build");
    world.out(&["run", "kubernetes_deploy", "--target", "x"]);
    world
}

#[test]
fn what_was_run_after_a_question_comes_first_the_next_time() {
    let world = taught();
    assert_eq!(first(&world, &[]), "kubernetes_deploy");
    let said = world.out(&["search", "container"]);
    assert!(said.contains("was called after such a question"), "{said}");
    let said = world.out(&["search", "--explain", "container"]);
    assert!(said.contains(", learned "), "{said}");
}

#[test]
fn a_tool_by_its_own_name_teaches_too_and_one_that_fails_does_not() {
    let world = library().file(
        "tools/fails.tool.json",
        &json!({"name": "container_fails", "description": "A container",
        "run": {"command": ["false"]}, "input_schema": {"type": "object", "properties": {}}})
        .to_string(),
    );
    search(&world, &["container"]);
    world.run(&["run", "container_fails"]).exits(1);
    assert_eq!(search_learned(&world), json!([]));
    world.out(&["kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world)[0]["tool"], "local/kubernetes_deploy");
}

fn search_learned(world: &World) -> serde_json::Value {
    world.run(&["search", "learned", "--json"]).exits(0).json()
}

#[test]
fn what_was_learned_can_be_shown() {
    let world = taught();
    let shown = search_learned(&world);
    assert_eq!(shown.as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(
        (&shown[0]["tool"], &shown[0]["question"]),
        (&json!("local/kubernetes_deploy"), &json!("container"))
    );
    assert_eq!(shown[0]["times"], 1);
    let text = world.out(&["search", "learned"]);
    assert!(text.starts_with("local/kubernetes_deploy\n  container ("), "{text}");
    assert_eq!(world.out(&["search", "learned", "--tool", "kubernetes_deploy"]), text);
    let none = world.run(&["search", "learned", "--tool", "send_email"]).exits(0);
    assert_eq!(none.out, "");
    none.says(&["Nothing was learned about `send_email` yet."]);
}

#[test]
fn what_was_learned_can_be_forgotten() {
    let world = taught();
    search(&world, &["archive"]);
    world.out(&["run", "database_backup", "--target", "x"]);
    assert_eq!(search_learned(&world).as_array().map(Vec::len), Some(2));
    world.run(&["search", "forget"]).exits(2).says(&["nothing selected to forget", "--all"]);
    world.run(&["search", "forget", "--all", "--tool", "x"]).exits(2);
    world
        .run(&["search", "forget", "--all"])
        .exits(0)
        .says(&["Would forget 2 questions", "--yes does it"]);
    world
        .run(&["--dry-run", "search", "forget", "--all", "--yes"])
        .exits(0)
        .says(&["Would forget 2 questions"]);
    assert_eq!(search_learned(&world).as_array().map(Vec::len), Some(2), "nobody has said yes");
    let forgot =
        world.run(&["search", "forget", "--tool", "local/kubernetes_deploy", "--yes"]).exits(0);
    forgot.says(&["Forgot 1 question about `local/kubernetes_deploy`"]);
    assert_eq!(search_learned(&world)[0]["tool"], "local/database_backup");
    assert_eq!(first(&world, &[]), "docker_build");
    // What was asked just now is forgotten as well.
    world.run(&["search", "forget", "--all", "--yes"]).exits(0).says(&["Forgot 1 question"]);
    world.out(&["run", "kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world), json!([]));
}

/// A tool that is gone can be forgotten by the name it had.
#[test]
fn a_tool_that_is_gone_can_be_forgotten() {
    let world = taught();
    std::fs::remove_file(world.path("tools/kubernetes_deploy.tool.json")).expect("it was there");
    assert_eq!(first(&world, &[]), "docker_build");
    world
        .run(&["search", "forget", "--tool", "kubernetes_deploy", "--yes"])
        .exits(0)
        .says(&["Forgot 1 question"]);
    assert_eq!(search_learned(&world), json!([]));
}

/// Questions may begin with any word.
#[test]
fn questions_that_begin_like_a_command_are_questions() {
    let world = library();
    let asked = search(&world, &["forget", "a", "container", "--limit", "1"]);
    assert_eq!(names(&asked).len(), 1);
    assert_eq!(names(&search(&world, &["learned", "container"])).len(), 2);
}

#[test]
fn nothing_is_learned_by_who_does_not_want_to() {
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
    world.out(&["run", "kubernetes_deploy", "--target", "x"]);
    assert_eq!(search_learned(&world), json!([]));
    let world = world.file("toolscout.toml", "[search]\nlaern = false\n");
    world
        .run(&["tools"])
        .exits(2)
        .says(&["`search.laern` is an unknown key; did you mean `learn`?"]);
}

#[test]
fn what_was_learned_does_not_count_where_learning_is_off() {
    let world = taught();
    assert_eq!(first(&world, &[]), "kubernetes_deploy");
    assert_eq!(first(&world, &["--no-learn"]), "docker_build");
    let mine = world.outside().join("config/config.toml");
    std::fs::create_dir_all(mine.parent().expect("a folder")).expect("make it");
    std::fs::write(&mine, "[search]\nlearn = false\n").expect("write it");
    let world = world.file("toolscout.toml", "[search]\nlearn = true\n");
    assert_eq!(first(&world, &[]), "docker_build", "a project does not overrule a person");
}

/// Secrets that somebody puts into a question are not kept.
#[test]
fn secrets_in_questions_are_not_kept() {
    let world = library();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    search(&world, &["--lexical", "container", "token", secret]);
    world.out(&["run", "docker_build", "--target", "x"]);
    let shown = world.out(&["search", "learned"]);
    assert!(shown.contains("container token [REDACTED]"), "{shown}");
    let state = world.outside().join("state");
    let files = |folder: &Path| std::fs::read_dir(folder).expect("a folder of the state").flatten();
    let all: Vec<_> =
        files(&state).chain(files(&state.join("asked"))).filter(|it| it.path().is_file()).collect();
    assert!(all.len() > 1, "{all:?}");
    for file in all {
        let bytes = std::fs::read(file.path()).expect("a file");
        assert!(
            !bytes.windows(secret.len()).any(|it| it == secret.as_bytes()),
            "{:?}",
            file.path()
        );
    }
}

/// An agent that searches and then runs teaches whoever asks next, directly called or through `execute_tool`. Which of two comes
/// first before that depends on whether their meaning is known yet; so the second is run.
#[test]
fn an_agent_teaches_and_learns() {
    for is_direct in [false, true] {
        let world = library().var("TOOLSCOUT_TRUST", "1");
        let mut agent = Agent::legacy(&world, &[]);
        let ask = json!({"query": "container", "detail": "names"});
        let found = agent.text("tool_search", ask.clone());
        let second = found
            .lines()
            .nth(1)
            .and_then(|it| it.strip_prefix("local/"))
            .expect("two tools")
            .to_owned();
        match is_direct {
            true => agent.text(&format!("local__{second}"), json!({"target": "x"})),
            false => {
                agent.text("execute_tool", json!({"name": second, "arguments": {"target": "x"}}))
            }
        };
        agent.end();
        assert_eq!(first(&world, &[]), second, "{is_direct}");
        let mut another = Agent::legacy(&world, &[]);
        let found = another.text("tool_search", ask);
        assert!(found.starts_with(&format!("local/{second}")), "{is_direct}: {found}");
    }
}
