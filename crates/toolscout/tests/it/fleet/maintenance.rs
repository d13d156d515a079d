//! `fleet drain` and `fleet rotate-key`, while replicas serve.

use super::{fleet, ready};
use crate::serve::{Session, Web};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::json;

fn look(session: &mut Session<'_>) -> String {
    session.text("execute_tool", json!({"name": "s/look", "arguments": {"text": "bob"}}))
}

/// Y-35: `fleet drain`, and `--undo`.
#[test]
fn a_drained_replica_is_not_ready_but_serves_its_sessions() {
    let Some(machines) = fleet(2) else { return };
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    let status = |web: &Web, path: &str| web.send("GET", path, &[], "").status;
    let mut session = two.session("/mcp", &[]);
    machines[0].run(&["fleet", "drain", "replica-2"]).exits(0);
    let listed = machines[0].run(&["fleet", "status"]).exits(0).out;
    assert!(listed.contains("draining"), "{listed}");
    wait_until("it is not ready", || status(&two, "/api/ready") == 503);
    assert_eq!((status(&two, "/api/live"), status(&one, "/api/ready")), (200, 200));
    assert_eq!(look(&mut session), "called");
    machines[0].run(&["fleet", "drain", "replica-2", "--undo"]).exits(0);
    wait_until("it is ready again", || ready(&two)["status"] == "ready");
    let unknown = machines[0].run(&["fleet", "drain", "replica-9"]);
    assert!(unknown.err.contains("no replica `replica-9` serves"), "{unknown:?}");
}

/// Y-36: every step of the rotation, one replica after the other.
#[test]
fn the_fleet_key_is_replaced_while_replicas_serve() {
    let Some(machines) = fleet(2) else { return };
    let old = key_of(&machines[0]);
    let new = machines[0].stdout(&["fleet", "key"]).trim().to_owned();
    let both = format!("{new},{old}");
    let with_key = |number: usize, key: &str| {
        let machine = machines[number].another_machine();
        let folder = machine.temp_dir().join("config");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("config.toml"), super::CONFIGURATION).expect("a file");
        machine.var("TOOLSCOUT_FLEET_KEY", key)
    };
    let rotate = |key: &str| with_key(0, key).run(&["fleet", "rotate-key"]);
    assert!(rotate(&old).err.contains("has one key"), "{:?}", rotate(&old));
    let behind = Web::open(&machines[1], &[]);
    let refused = rotate(&both);
    assert!(refused.err.contains("do not have the new key: replica-2"), "{refused:?}");
    drop(behind);
    let second = with_key(1, &both);
    let running = Web::open(&second, &[]);
    wait_until("no replica lacks the key", || rotate(&both).code == 0);
    rotate(&both).exits(0).stderr_contains(&["Nothing to do"]);
    let refused = with_key(0, &old).run(&["fleet", "status"]);
    assert!(refused.err.contains("is not the key of this fleet's database"), "{refused:?}");
    // Rows from before the rotation are readable with the new key alone, and by the replica that
    // has run through it.
    let first = with_key(0, &new);
    let started = Web::open(&first, &[]);
    for web in [&started, &running] {
        let mut session = web.session("/mcp", &[]);
        assert_eq!(look(&mut session), "called");
    }
    let mut moved = started.session("/mcp", &[]).at(&running);
    assert_eq!(look(&mut moved), "called", "sessions continue across the keys");
    assert_eq!(first.quarantined(), Vec::<String>::new());
}

fn key_of(world: &World) -> String {
    let command = world.command(&[]);
    let key = command.get_envs().find(|(name, _)| *name == "TOOLSCOUT_FLEET_KEY");
    key.and_then(|(_, value)| value?.to_str()).expect("a key").to_owned()
}
