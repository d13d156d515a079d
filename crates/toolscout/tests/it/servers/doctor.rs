//! `doctor` reports the state of each server, with a hint if it needs attention.

use crate::world::World;
use serde_json::json;

#[test]
fn doctor_counts_servers_and_names_those_that_need_attention() {
    World::project()
        .run(&["doctor"])
        .exits(0)
        .stdout_contains(&["servers   none (toolscout import, or toolscout server add"]);
    let world = World::trusted().server("good", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    assert!(world.stdout(&["doctor"]).contains("\nservers   1\n"));
    let world = world.server("bad", "exit_now", &[]).server("sly", "poison_desc", &[]);
    let world = world.server("off", "honest", &[]).append_config("enabled = false");
    world.run(&["server", "refresh"]).exits(3);
    let world = world.server("new", "honest", &[]);
    let doctor = world.run(&["doctor"]).exits(1);
    let line = "servers   5 (1 disabled); 1 failed: bad (toolscout server list); \
                1 never loaded: new (toolscout server refresh); 1 tool quarantined (toolscout review)\n";
    assert!(doctor.out.contains(line), "{doctor:?}");
    let servers = world.run(&["doctor", "--json"]).exits(1).json()["servers"].clone();
    let expected = json!({"configured": 5, "disabled": 1, "failed": ["bad"], "neverLoaded": ["new"], "untrustedProject": [], "quarantined": 1});
    assert_eq!(servers, expected);
}

#[test]
fn doctor_names_untrusted_servers() {
    let world = World::project().server("fs", "honest", &[]);
    world
        .run(&["doctor"])
        .exits(1)
        .stdout_contains(&["servers   1; 1 not trusted: fs (toolscout trust)\n"]);
    assert_eq!(world.starts("fs"), 0);
}
