//! 1. A host keeps servers for other commands, and there is one a project.
//! 2. A server that falls is started again after a while, unless somebody stopped it.
//! 3. Whatever becomes of the host, its servers go with it, and other commands work without it.

use super::scene::{is_alive, process_id, signal, until};
use crate::world::World;
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// The process that answers to this server's name.
fn answering(world: &World, id: &str) -> u32 {
    process_id(&world.run(&["run", &format!("{id}/whoami")]).exits(0).json()["pid"])
}

/// A project whose server is known, without a process that was started to ask it.
fn known() -> World {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// Section 5 of the product: one start for many runs, while somebody keeps the server; stopped, it is gone.
#[test]
fn runs_use_the_server_that_a_host_keeps() {
    let world = known();
    let host = world.host();
    let process = answering(&world, "fs");
    assert_eq!((answering(&world, "fs"), answering(&world, "fs")), (process, process));
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (2, json!("idle")));
    world.run(&["server", "stop", "fs"]).exits(0);
    assert!(!is_alive(process));
    assert_eq!(world.status("fs")["state"], "known");
    world.run(&["server", "start", "fs"]).exits(0);
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (3, json!("idle")));
    world.run(&["server", "restart", "fs"]).exits(0);
    assert_eq!(world.starts("fs"), 4);
    assert_eq!(answering(&world, "fs"), world.processes("fs")[3]);
    assert_eq!(host.interrupted().0, Some(130));
    assert!(!is_alive(world.processes("fs")[3]));
    world
        .run(&["server", "stop", "fs"])
        .exits(3)
        .says(&["No server is running", "toolscout server host"]);
}

/// Errors of a tool, of the caller and of the door are the same as without a host.
#[test]
fn a_call_through_a_host_fails_as_it_would_without_one() {
    let world = known().more("tools = { add = \"deny\" }");
    let calls: [&[&str]; 5] = [
        &["run", "fs/fail"],
        &["run", "fs/echo"],
        &["run", "fs/echo", "--text", "a", "--more", "b"],
        &["run", "fs/add", "--a", "1", "--b", "2"],
        &["run", "fs/nothing"],
    ];
    let alone: Vec<_> = calls.iter().map(|it| world.run(it)).collect();
    let _host = world.host();
    for (args, alone) in calls.iter().zip(alone) {
        assert_ne!(alone.code, 0);
        assert_eq!(world.run(args), alone, "{args:?}");
    }
}

/// Says twice how far each call is before it is done.
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

/// How far a call is, is heard where it was made, wherever the server runs.
#[test]
fn progress_comes_through_a_host() {
    let words = ["sh", "telling.sh"].map(str::to_owned);
    let world = World::trusted().entry("fs", &words, "").file("telling.sh", TELLING);
    world.run(&["server", "refresh"]).exits(0);
    let heard = || {
        let called = world.run(&["--verbose", "--log-format", "json", "run", "fs/t"]).exits(0);
        assert_eq!(called.out, "called\n");
        let told = called.events("tool_progress");
        told.iter()
            .map(|it| (it["done"].to_string(), it["message"].to_string()))
            .collect::<Vec<_>>()
    };
    let alone = heard();
    assert_eq!(alone.len(), 2, "{alone:?}");
    let _host = world.host();
    assert_eq!(heard(), alone);
    assert_eq!(world.status("fs")["state"], "idle", "it was the host's server");
}

/// A socket's path must be short. Where the state folder is too deep for one, it is in a folder of its own, for us alone.
#[test]
fn a_host_is_found_however_deep_its_state_folder_is() {
    let world = known();
    let deep = world.outside().join("deep-".repeat(30)).display().to_string();
    let near = world.outside().join("near");
    let world =
        world.var("TOOLSCOUT_STATE_DIR", &deep).var("XDG_RUNTIME_DIR", &near.display().to_string());
    let host = world.host();
    let process = answering(&world, "fs");
    assert_eq!(answering(&world, "fs"), process);
    let [folder] = &fs::read_dir(&near)
        .expect("a folder")
        .map(|it| it.expect("an entry").path())
        .collect::<Vec<_>>()[..]
    else {
        panic!("not one folder")
    };
    assert_eq!(fs::metadata(folder).expect("its mode").permissions().mode() & 0o777, 0o700);
    assert_eq!(host.interrupted().0, Some(130));
    // Who waits in a folder of that name that is not ours is not spoken to.
    fs::rename(folder, near.join("elsewhere")).expect("move it");
    std::os::unix::fs::symlink(near.join("elsewhere"), folder).expect("a link");
    world.run(&["server", "host"]).exits(3).says(&["could not listen on", "is not ours alone"]);
    assert_ne!(answering(&world, "fs"), process);
}

/// A second host is told that there is one, and the first goes on.
#[test]
fn a_second_host_for_the_same_project_is_refused() {
    let world = known();
    let _host = world.host();
    world
        .run(&["server", "host"])
        .exits(3)
        .says(&["another process already hosts the servers of this project"]);
    answering(&world, "fs");
    assert_eq!(world.status("fs")["state"], "idle");
}

/// What a server says beside the protocol, without what it would do to a terminal.
#[test]
fn the_last_a_server_said_is_shown_escaped() {
    let world = World::trusted().server("fs", "ansi", &[]);
    let _host = world.host();
    world.run(&["server", "start", "fs"]).exits(0);
    until("the server has said something", || {
        !world.run(&["server", "logs", "fs"]).exits(0).out.is_empty()
    });
    let logs = world.out(&["server", "logs", "fs"]);
    assert!(logs.contains("\\u{1b}[8mhidden"), "{logs:?}");
    assert!(!logs.contains(['\u{1b}', '\u{7}', '\u{9b}', '\r']), "{logs:?}");
}

/// F-15: `failed` while it is down, started again by itself soon; after `server stop` never again by itself.
#[test]
fn a_server_that_is_killed_comes_back_unless_it_was_stopped() {
    let world = known();
    let _host = world.host();
    let first = answering(&world, "fs");
    let killed = Instant::now();
    signal(first, Signal::KILL);
    until("the server is missed", || world.status("fs")["state"] != "idle");
    until("it is started again", || world.starts("fs") == 3);
    assert!(killed.elapsed() >= Duration::from_millis(450), "it was started again at once");
    until("it is up", || world.status("fs")["state"] == "idle");
    let second = answering(&world, "fs");
    assert_eq!(second, world.processes("fs")[2]);

    let killed = Instant::now();
    signal(second, Signal::KILL);
    until("the server is missed again", || world.status("fs")["state"] == "failed");
    world.run(&["server", "stop", "fs"]).exits(0);
    assert!(
        killed.elapsed() < Duration::from_secs(1),
        "too slow to tell: the second wait is a second"
    );
    until("it would have been started again", || killed.elapsed() > Duration::from_millis(1_400));
    assert_eq!((world.starts("fs"), world.status("fs")["state"].clone()), (3, json!("known")));
    assert_ne!(answering(&world, "fs"), second, "a call starts it again");
}

/// T19 and the promise of the guide: not even a kill leaves servers behind, and nothing of the dead host is in the way.
#[test]
fn a_host_that_is_killed_takes_its_servers_along() {
    let world = World::trusted().server("fs", "grandchild", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let host = world.host();
    let process = answering(&world, "fs");
    let started = [process, world.grandchildren("fs")[1]];
    assert!(started.into_iter().all(is_alive));
    let killed = Instant::now();
    host.killed();
    until("its server is gone, and what that has started", || !started.into_iter().any(is_alive));
    assert!(killed.elapsed() < Duration::from_secs(6), "{:?}", killed.elapsed());
    assert_ne!(answering(&world, "fs"), process);
    assert_eq!(world.status("fs")["state"], "known");
    let _host = world.host();
    answering(&world, "fs");
    assert_eq!(world.status("fs")["state"], "idle");
}

/// F-02: a host serves what there is; what comes later is there after a refresh, without another host.
#[test]
fn a_host_serves_a_server_that_came_up_later() {
    let world = World::trusted().server("good", "honest", &[]).breakable("late", "honest", &[]);
    world.breaks("late");
    world.run(&["server", "refresh"]).exits(3);
    let _host = world.host();
    assert_eq!(world.run(&["run", "good/echo", "--text", "a"]).exits(0).out, "a\n");
    world.run(&["run", "late/echo", "--text", "a"]).exits(3);
    world.mends("late");
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.run(&["run", "late/echo", "--text", "b"]).exits(0).out, "b\n");
    assert_eq!(world.status("late")["state"], "idle");
}
