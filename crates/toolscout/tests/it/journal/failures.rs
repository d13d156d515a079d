//! Processes share the journal; one that is killed, or cannot write, takes nothing with it.

use super::{decisions, folder, is_sound, records};
use crate::serve::{Agent, library};
use serde_json::json;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn ten_commands_at_once_make_one_chain() {
    let world = library();
    let start = |at: usize| {
        let mut command = world.command(&["run", "sql_query", "--target", &format!("t{at}")]);
        command.stdout(Stdio::null()).spawn().expect("it starts")
    };
    let children: Vec<_> = (0..10).map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let calls = records(&world, "call");
    let mut targets: Vec<_> = calls
        .iter()
        .map(|it| it["arguments"]["target"].as_str().expect("a target").to_owned())
        .collect();
    targets.sort();
    assert_eq!(targets, (0..10).map(|it| format!("t{it}")).collect::<Vec<_>>());
    assert!(calls.iter().zip(1..).all(|(it, n)| it["n"] == n), "{calls:?}");
    is_sound(&world);
}

/// What was decided is written before anybody hears of it; all else within a moment.
#[test]
fn an_agent_that_is_killed_leaves_its_decisions_and_what_was_written() {
    let world = library().file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    agent.call(
        "execute_tool",
        json!({"name": "send_email", "arguments": {"to": "a", "subject": "b", "body": "c"}}),
    );
    // Until the thread that writes has had its turn.
    let due = Instant::now() + Duration::from_secs(30);
    while records(&world, "call").is_empty() {
        assert!(Instant::now() < due, "nothing was written");
    }
    agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": "x"}}));
    // Killed, not ended.
    drop(agent);
    let decided = decisions(&world);
    assert!(
        decided.len() == 1 && decided[0].starts_with("call local/sql_query asked the policy"),
        "{decided:?}"
    );
    is_sound(&world);
}

#[test]
fn what_cannot_be_written_is_said_once_and_stops_nothing() {
    let world = library();
    fs::create_dir_all(world.outside().join("state")).expect("a folder");
    fs::write(folder(&world), "in the way").expect("a file");
    let ran = world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert_eq!(ran.err.matches("warning: what happens is not written down").count(), 1, "{ran:?}");
    assert!(ran.out.contains("\"x\""), "{ran:?}");
    let mut agent = Agent::legacy(&world, &[]);
    let result =
        agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": "y"}}));
    assert!(result["isError"] != true, "{result}");
    assert_eq!(agent.end().0, 0);
}

#[test]
fn a_person_may_have_nothing_written_and_a_project_may_not() {
    let world = library().var("TOOLSCOUT_NO_JOURNAL", "1");
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert!(!folder(&world).exists());
    world.run(&["stats"]).exits(0).prints(&["nothing is recorded now"]);
    let world = library();
    fs::create_dir_all(world.outside().join("config")).expect("a folder");
    fs::write(world.outside().join("config/config.toml"), "[journal]\nkeep = \"off\"\n")
        .expect("written");
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert!(!folder(&world).exists());
    let world = library().file("toolscout.toml", "[journal]\nkeep = \"off\"\n");
    world
        .run(&["tools"])
        .exits(0)
        .says(&["`keep` of `journal` is set, which only a person's own configuration may say"]);
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert_eq!(records(&world, "call").len(), 1);
}

#[test]
fn how_much_is_kept_must_make_sense() {
    for (wrong, said) in [
        ("keep = 1", "megabytes, from 8 to 4096, or `off`"),
        ("kept = 9", "`journal.kept` is an unknown key"),
    ] {
        let world = library();
        fs::create_dir_all(world.outside().join("config")).expect("a folder");
        fs::write(world.outside().join("config/config.toml"), format!("[journal]\n{wrong}\n"))
            .expect("written");
        world.run(&["tools"]).exits(2).says(&[said]);
    }
}
