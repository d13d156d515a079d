//! Servers that run on one replica of a fleet (`placement = "one"`): the others forward calls.

use super::{CONFIGURATION, fleet, machines, ready};
use crate::serve::{Session, Web};
use crate::servers::fixture::{is_alive, process_id, wait_until};
use crate::world::{World, can_run};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use toolscout_test_support::postgres::PostgresServer;

/// Runs the server only if no other instance of it runs, and records the attempt otherwise.
const ALONE: &str =
    r#"exec 9>"$0.lock"; flock -n 9 || { echo twice >> "$0.twice"; exit 1; }; exec "$@""#;

/// Adds a server that one replica runs. The other machines share the project.
fn with_placed_server(mut machines: Vec<World>, more: &str) -> Vec<World> {
    let first = machines.remove(0);
    let mark = first.path("placed").display().to_string();
    let before = ["sh", "-c", ALONE, &mark].map(str::to_owned);
    let words: Vec<String> = before.into_iter().chain(first.hostile("b", "honest", &[])).collect();
    let more = format!("sandbox = \"off\"\nplacement = \"one\"\n{more}");
    machines.insert(0, first.entry("b", &words, &more));
    machines
}

/// Whether the server was ever started while another instance ran.
fn ran_twice(world: &World) -> bool {
    world.path("placed.twice").exists()
}

/// The process id of the server that answers.
fn whoami(session: &mut Session<'_>) -> u32 {
    let text = session.text("execute_tool", json!({"name": "b/whoami", "arguments": {}}));
    let server: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
    process_id(&server["pid"])
}

/// The servers that run on all machines, which share the log of the first one.
fn running(world: &World) -> Vec<u32> {
    world.processes("b").into_iter().filter(|process| is_alive(*process)).collect()
}

/// Y-54.
#[test]
fn a_server_of_one_replica_serves_the_calls_of_all() {
    let Some(machines) = fleet(3) else { return };
    let machines = with_placed_server(machines, "");
    machines[0].run(&["server", "refresh", "b"]).exits(0);
    let webs: Vec<Web> = machines.iter().map(|machine| Web::open(machine, &[])).collect();
    let mut sessions: Vec<_> = webs.iter().map(|web| web.session("/mcp", &[])).collect();
    let first = whoami(&mut sessions[1]);
    for session in &mut sessions {
        assert_eq!(whoami(session), first);
    }
    assert_eq!(running(&machines[0]).len(), 1);
    // An error of the tool is that of the other replica.
    let call = json!({"name": "b/fail", "arguments": {}});
    assert_eq!(sessions[0].call("execute_tool", call)["isError"], true);
    assert!(!ran_twice(&machines[0]));
}

/// Y-55: nothing releases the lease of a killed replica but time.
#[test]
fn a_server_is_taken_over_when_its_replica_is_killed() {
    let Some(machines) = fleet(2) else { return };
    let machines = with_placed_server(machines, "");
    machines[0].run(&["server", "refresh", "b"]).exits(0);
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    let (mut at_one, mut at_two) = (one.session("/mcp", &[]), two.session("/mcp", &[]));
    let before = whoami(&mut at_one);
    assert_eq!(whoami(&mut at_two), before);
    let killed = Instant::now();
    assert_eq!(one.ends(Signal::KILL), None);
    let after = whoami(&mut at_two);
    assert!(killed.elapsed() <= Duration::from_secs(7), "{:?}", killed.elapsed());
    assert_ne!(after, before);
    assert_eq!(running(&machines[0]).len(), 1);
    assert!(!ran_twice(&machines[0]));
}

/// Y-56: the lease of a replica without contact may be taken after six seconds.
#[test]
fn a_replica_that_loses_contact_stops_the_server() {
    let mut server = PostgresServer::start();
    if !can_run(server.is_some(), "PostgreSQL") {
        return;
    }
    let server = server.as_mut().expect("a server");
    let machines = with_placed_server(machines(&server.url("postgres"), 1), "");
    machines[0].run(&["server", "refresh", "b"]).exits(0);
    let web = Web::open(&machines[0], &[]);
    wait_until("the replica is ready", || ready(&web)["status"] == "ready");
    let mut session = web.session("/mcp", &[]);
    whoami(&mut session);
    assert_eq!(running(&machines[0]).len(), 1);
    let lost = Instant::now();
    server.kill();
    wait_until("the server is stopped", || running(&machines[0]).is_empty());
    assert!(lost.elapsed() <= Duration::from_secs(6), "{:?}", lost.elapsed());
    let call = json!({"name": "b/whoami", "arguments": {}});
    let refused = session.call("execute_tool", call).to_string();
    assert!(refused.contains("fleet"), "{refused}");
    assert!(running(&machines[0]).is_empty(), "nothing starts without contact");
}

/// Y-57: only the second replica has a browser.
#[test]
fn a_server_runs_on_a_replica_that_has_what_it_needs() {
    let Some(machines) = fleet(2) else { return };
    let machines = with_placed_server(machines, "needs = [\"browser\"]\n");
    let configuration = format!("{CONFIGURATION}labels = [\"browser\"]\n");
    let file = machines[1].temp_dir().join("config/config.toml");
    std::fs::write(file, configuration).expect("a file");
    let refused = machines[0].run(&["server", "refresh", "b"]).exits(3);
    assert!(refused.out.contains("this replica does not have what it needs: browser"));
    machines[1].run(&["server", "refresh", "b"]).exits(0);
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    let call = json!({"name": "b/whoami", "arguments": {}});
    // A replica learns of another one with its next heartbeat.
    wait_until("the first replica knows the second one", || {
        let answer = one.session("/mcp", &[]).text("execute_tool", call.clone());
        !answer.contains("does not have what it needs")
    });
    let first = whoami(&mut one.session("/mcp", &[]));
    assert_eq!(two.ends(Signal::TERM), Some(0));
    wait_until("the server has ended with its replica", || running(&machines[0]).is_empty());
    assert!(!is_alive(first) && !ran_twice(&machines[0]));
}
