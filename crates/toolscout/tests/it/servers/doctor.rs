//! The doctor says how the servers are, and what to type about those that need something.

use crate::world::World;
use serde_json::json;

#[test]
fn the_doctor_counts_servers_and_names_those_that_need_something() {
    World::project()
        .run(&["doctor"])
        .exits(0)
        .prints(&["servers   none (toolscout import, or toolscout server add"]);
    let world = World::trusted().server("good", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    assert!(world.out(&["doctor"]).contains("\nservers   1\n"));
    let world = world.server("bad", "exit_now", &[]).server("sly", "poison_desc", &[]);
    let world = world.server("off", "honest", &[]).more("enabled = false");
    world.run(&["server", "refresh"]).exits(3);
    let world = world.server("new", "honest", &[]);
    let doctor = world.run(&["doctor"]).exits(1);
    let line = "servers   5 (1 disabled); 1 failed: bad (toolscout server list); \
                1 never loaded: new (toolscout server refresh); 1 tool quarantined (toolscout review)\n";
    assert!(doctor.out.contains(line), "{doctor:?}");
    let servers = world.run(&["doctor", "--json"]).exits(1).json()["servers"].clone();
    let expected = json!({"configured": 5, "disabled": 1, "failed": ["bad"], "unasked": ["new"], "untrusted": [], "held": 1});
    assert_eq!(servers, expected);
}

#[test]
fn the_doctor_says_which_servers_wait_for_trust() {
    let world = World::project().server("fs", "honest", &[]);
    world.run(&["doctor"]).exits(1).prints(&["servers   1; 1 not trusted: fs (toolscout trust)\n"]);
    assert_eq!(world.starts("fs"), 0);
}
