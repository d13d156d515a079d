//! 1. A host runs the servers for other commands; each project has at most one.
//! 2. A crashed server restarts after a delay, unless it was stopped.
//! 3. When the host ends in any way, its servers end, and other commands work without it.

use super::fixture::{is_alive, process_id, signal, wait_until};
use crate::world::World;
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// The process id of this server, from its response.
fn answering(world: &World, id: &str) -> u32 {
    process_id(&world.run(&["run", &format!("{id}/whoami")]).exits(0).json()["pid"])
}

/// A project with a discovered server that is not running.
fn known() -> World {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// Section 5 of the product: with a host, many calls need one server start. `server stop` ends the
/// server.
#[test]
fn calls_use_the_server_of_the_host() {
    let world = known();
    let host = world.host();
    let process = answering(&world, "fs");
    assert_eq!((answering(&world, "fs"), answering(&world, "fs")), (process, process));
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (2, json!("idle")));
    world.run(&["server", "stop", "fs"]).exits(0);
    assert!(!is_alive(process));
    assert_eq!(world.status("fs")["state"], "ready");
    world.run(&["server", "start", "fs"]).exits(0);
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (3, json!("idle")));
    world.run(&["server", "restart", "fs"]).exits(0);
    assert_eq!(world.starts("fs"), 4);
    assert_eq!(answering(&world, "fs"), world.processes("fs")[3]);
    assert_eq!(host.interrupt().0, Some(130));
    assert!(!is_alive(world.processes("fs")[3]));
    world
        .run(&["server", "stop", "fs"])
        .exits(3)
        .stderr_contains(&["no server is running", "toolscout server host"]);
}

/// Errors of the tool, of the caller and of authorization are the same as without a host.
#[test]
fn a_call_through_a_host_fails_as_it_would_without_one() {
    let world = known().append_config("tools = { add = \"deny\" }");
    let calls: [&[&str]; 5] = [
        &["run", "fs/fail"],
        &["run", "fs/echo"],
        &["run", "fs/echo", "--text", "a", "--more", "b"],
        &["run", "fs/add", "--a", "1", "--b", "2"],
        &["run", "fs/nothing"],
    ];
    let alone: Vec<_> = calls.iter().map(|call| world.run(call)).collect();
    let _host = world.host();
    for (args, alone) in calls.iter().zip(alone) {
        assert_ne!(alone.code, 0);
        assert_eq!(world.run(args), alone, "{args:?}");
    }
}

/// A server that sends two progress notifications for each call.
const TELLING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  token=${line#*'"progressToken":'}; token=${token%%[,\}]*}
  far='{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s,"total":4,"message":"%s"}}\n'
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"telling","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) printf "$far" "$token" 1 begun; printf "$far" "$token" 3 'nearly there'
    printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"called"}]}}\n' "$id" ;;
  esac
done"#;

/// The command that made the call receives the progress.
#[test]
fn progress_is_reported_through_a_host() {
    let words = ["sh", "telling.sh"].map(str::to_owned);
    let world = World::trusted().entry("fs", &words, "").file("telling.sh", TELLING);
    world.run(&["server", "refresh"]).exits(0);
    let received = || {
        let called = world.run(&["--verbose", "--log-format", "json", "run", "fs/t"]).exits(0);
        assert_eq!(called.out, "called\n");
        let events = called.events("tool_progress");
        events
            .iter()
            .map(|item| (item["done"].to_string(), item["message"].to_string()))
            .collect::<Vec<_>>()
    };
    let alone = received();
    assert_eq!(alone.len(), 2, "{alone:?}");
    let _host = world.host();
    assert_eq!(received(), alone);
    assert_eq!(world.status("fs")["state"], "idle", "the call used the host's server");
}

/// The path of a socket has a length limit. If the state folder is too deep, the socket is in a
/// separate private folder.
#[test]
fn a_host_is_found_with_a_very_long_state_path() {
    let world = known();
    let deep = world.temp_dir().join("deep-".repeat(30)).display().to_string();
    let suggestion = world.temp_dir().join("near");
    let world = world
        .var("TOOLSCOUT_STATE_DIR", &deep)
        .var("XDG_RUNTIME_DIR", &suggestion.display().to_string());
    let host = world.host();
    let process = answering(&world, "fs");
    assert_eq!(answering(&world, "fs"), process);
    let [folder] = &fs::read_dir(&suggestion)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect::<Vec<_>>()[..]
    else {
        panic!("not one folder")
    };
    assert_eq!(fs::metadata(folder).expect("its mode").permissions().mode() & 0o777, 0o700);
    assert_eq!(host.interrupt().0, Some(130));
    // A folder that other users may have access to, such as a symlink, is not used.
    fs::rename(folder, suggestion.join("elsewhere")).expect("move it");
    std::os::unix::fs::symlink(suggestion.join("elsewhere"), folder).expect("a link");
    world
        .run(&["server", "host"])
        .exits(3)
        .stderr_contains(&["could not listen on", "other users may have access to it"]);
    assert_ne!(answering(&world, "fs"), process);
}

/// The first host keeps running.
#[test]
fn a_second_host_for_the_same_project_is_refused() {
    let world = known();
    let _host = world.host();
    world
        .run(&["server", "host"])
        .exits(3)
        .stderr_contains(&["another process already hosts the servers of this project"]);
    answering(&world, "fs");
    assert_eq!(world.status("fs")["state"], "idle");
}

/// Stderr of a server, with control characters escaped.
#[test]
fn server_logs_shows_escaped_stderr() {
    let world = World::trusted().server("fs", "ansi", &[]);
    let _host = world.host();
    world.run(&["server", "start", "fs"]).exits(0);
    wait_until("the server has written to stderr", || {
        !world.run(&["server", "logs", "fs"]).exits(0).out.is_empty()
    });
    let logs = world.stdout(&["server", "logs", "fs"]);
    assert!(logs.contains("\\u{1b}[8mhidden"), "{logs:?}");
    assert!(!logs.contains(['\u{1b}', '\u{7}', '\u{9b}', '\r']), "{logs:?}");
}

/// F-15: the state is `failed` until the automatic restart. After `server stop` there is no
/// automatic restart.
#[test]
fn a_killed_server_restarts_unless_it_was_stopped() {
    let world = known();
    let _host = world.host();
    let first = answering(&world, "fs");
    let killed = Instant::now();
    signal(first, Signal::KILL);
    wait_until("the exit is noticed", || world.status("fs")["state"] != "idle");
    wait_until("the server is restarted", || world.starts("fs") == 3);
    assert!(
        killed.elapsed() >= Duration::from_millis(450),
        "the server was restarted without a delay"
    );
    wait_until("the server runs", || world.status("fs")["state"] == "idle");
    let second = answering(&world, "fs");
    assert_eq!(second, world.processes("fs")[2]);

    let killed = Instant::now();
    signal(second, Signal::KILL);
    wait_until("the second exit is noticed", || world.status("fs")["state"] == "failed");
    world.run(&["server", "stop", "fs"]).exits(0);
    assert!(
        killed.elapsed() < Duration::from_secs(1),
        "too slow for this test: the second delay is one second"
    );
    wait_until("the restart delay has passed", || killed.elapsed() > Duration::from_millis(1_400));
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (3, json!("ready")));
    assert_ne!(answering(&world, "fs"), second, "a call restarts the server");
}

/// T19 and the guide: not even a kill leaves servers behind, and files of the dead host do not
/// block the next one.
#[test]
fn killing_a_host_stops_its_servers() {
    let world = World::trusted().server("fs", "grandchild", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let host = world.host();
    let process = answering(&world, "fs");
    let started = [process, world.grandchildren("fs")[1]];
    assert!(started.into_iter().all(is_alive));
    let killed = Instant::now();
    host.kill();
    wait_until("the server and its children have ended", || !started.into_iter().any(is_alive));
    assert!(killed.elapsed() < Duration::from_secs(6), "{:?}", killed.elapsed());
    assert_ne!(answering(&world, "fs"), process);
    assert_eq!(world.status("fs")["state"], "ready");
    let _host = world.host();
    answering(&world, "fs");
    assert_eq!(world.status("fs")["state"], "idle");
}

/// F-02: the server is available after a refresh, without a restart of the host.
#[test]
fn a_host_serves_a_server_that_becomes_available_later() {
    let world = World::trusted().server("good", "honest", &[]).breakable("late", "honest", &[]);
    world.break_server("late");
    world.run(&["server", "refresh"]).exits(3);
    let _host = world.host();
    assert_eq!(world.run(&["run", "good/echo", "--text", "a"]).exits(0).out, "a\n");
    world.run(&["run", "late/echo", "--text", "a"]).exits(3);
    world.repair_server("late");
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.run(&["run", "late/echo", "--text", "b"]).exits(0).out, "b\n");
    assert_eq!(world.status("late")["state"], "idle");
}
