//! Processes share the journal. A process that is killed or cannot write loses no earlier record.

use super::{decisions, folder, is_sound, records};
use crate::serve::{Agent, library};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::json;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn ten_concurrent_commands_write_one_valid_chain() {
    let world = library();
    let start = |at: usize| {
        let mut command = world.command(&["run", "sql_query", "--target", &format!("t{at}")]);
        command.stdout(Stdio::null()).spawn().expect("it starts")
    };
    let children: Vec<_> = (0..10).map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("the process exits").success());
    }
    let calls = records(&world, "call");
    let mut targets: Vec<_> = calls
        .iter()
        .map(|call| call["arguments"]["target"].as_str().expect("a target").to_owned())
        .collect();
    targets.sort();
    assert_eq!(targets, (0..10).map(|index| format!("t{index}")).collect::<Vec<_>>());
    assert!(calls.iter().zip(1..).all(|(item, n)| item["n"] == n), "{calls:?}");
    is_sound(&world);
}

/// A decision is written before its response is sent; other records are written shortly after.
#[test]
fn a_killed_process_leaves_a_valid_journal_with_its_decisions() {
    let world = library().file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    agent.call(
        "execute_tool",
        json!({"name": "send_email", "arguments": {"to": "a", "subject": "b", "body": "c"}}),
    );
    // Wait until the writer thread has written the records.
    let due = Instant::now() + Duration::from_secs(30);
    while records(&world, "call").is_empty() {
        assert!(Instant::now() < due, "nothing was written");
    }
    agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": "x"}}));
    // Dropping the agent kills the process.
    drop(agent);
    let decided = decisions(&world);
    assert!(
        decided.len() == 1 && decided[0].starts_with("call local/sql_query requested the policy"),
        "{decided:?}"
    );
    is_sound(&world);
}

/// The outcomes of all recorded calls, after a process was killed while it ran a tool with this
/// line.
fn outcomes_after_kill(annotations: &str) -> (World, Vec<String>) {
    let tool = format!(
        "name = \"hang\"\ndescription = \"Waits until it is killed\"\n{annotations}\n\
         [run]\ncommand = [\"sh\", \"-c\", \"touch started; exec sleep 600\"]\ncwd = \"caller\"\n"
    );
    let world = World::trusted().file("tools/hang.tool.toml", &tool);
    let mut running = world.command(&["run", "hang"]).stdout(Stdio::null()).spawn().expect("it");
    wait_until("the tool runs", || world.path("started").exists());
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    let calls = records(&world, "call");
    let word = |call: &serde_json::Value| call["outcome"].as_str().expect("an outcome").to_owned();
    let outcomes = calls.iter().map(word).collect();
    (world, outcomes)
}

#[test]
fn a_call_during_which_the_process_is_killed_is_recorded_as_interrupted() {
    let (world, outcomes) = outcomes_after_kill("");
    assert_eq!(outcomes, ["interrupted"]);
    let shown = world.run(&["audit", "show"]).exits(0);
    assert!(shown.out.contains("local/hang {} interrupted: toolscout was killed"), "{shown:?}");
    assert_eq!(records(&world, "call").len(), 1, "once");
    is_sound(&world);
}

#[test]
fn a_read_only_call_leaves_no_mark() {
    assert_eq!(outcomes_after_kill("annotations = { readOnlyHint = true }").1, [""; 0]);
}

#[test]
fn a_journal_write_failure_is_reported_once_and_stops_nothing() {
    let world = library();
    fs::create_dir_all(world.temp_dir().join("state")).expect("a folder");
    fs::write(folder(&world), "in the way").expect("a file");
    let ran = world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    let warning =
        format!("warning: the audit log in `{}` cannot be written", folder(&world).display());
    assert_eq!(ran.err.matches(&warning).count(), 1, "{ran:?}");
    assert!(ran.out.contains("\"x\""), "{ran:?}");
    let mut agent = Agent::legacy(&world, &[]);
    let result =
        agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": "y"}}));
    assert!(result["isError"] != true, "{result}");
    assert_eq!(agent.end().0, 0);
}

#[test]
fn only_the_user_may_disable_the_journal() {
    let world = library().var("TOOLSCOUT_NO_JOURNAL", "1");
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert!(!folder(&world).exists());
    world.run(&["stats"]).exits(0).stdout_contains(&["the audit log is off"]);
    let world = library();
    fs::create_dir_all(world.temp_dir().join("config")).expect("a folder");
    fs::write(world.temp_dir().join("config/config.toml"), "[journal]\nkeep = \"off\"\n")
        .expect("written");
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert!(!folder(&world).exists());
    let world = library().file("toolscout.toml", "[journal]\nkeep = \"off\"\n");
    world.run(&["tools"]).exits(0).stderr_contains(&[
        "`journal.keep` is set, which is allowed only in your user configuration",
    ]);
    world.run(&["run", "sql_query", "--target", "x"]).exits(0);
    assert_eq!(records(&world, "call").len(), 1);
}

#[test]
fn an_invalid_journal_retention_is_an_error() {
    for (wrong, output) in [
        ("keep = 1", "must be a number of megabytes from 8 to 4096, or `off`"),
        ("kept = 9", "`journal.kept` is an unknown key"),
    ] {
        let world = library();
        fs::create_dir_all(world.temp_dir().join("config")).expect("a folder");
        fs::write(world.temp_dir().join("config/config.toml"), format!("[journal]\n{wrong}\n"))
            .expect("written");
        world.run(&["tools"]).exits(2).stderr_contains(&[output]);
    }
}
