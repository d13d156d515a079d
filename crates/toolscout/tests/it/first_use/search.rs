//! Searches that wait for servers, and reports about servers that are unavailable.

use crate::servers::fixture::wait_until;
use crate::world::World;

/// U-09: the tools of a server that was never loaded are found by the first search.
#[test]
fn a_search_loads_the_tools_of_new_servers_first() {
    let world = World::trusted().server("new", "honest", &[]);
    let found = world.run(&["search", "--lexical", "add"]).exits(0);
    assert!(found.out.contains("new/add") && found.err.is_empty(), "{found:?}");
    assert_eq!(world.starts("new"), 1);
}

/// U-10: the wait is bounded; the answer names the server, which goes on loading.
#[test]
fn an_early_answer_names_the_servers_that_are_still_loading() {
    let world = World::trusted()
        .file("toolscout.toml", "serve = { wait_for_discovery = 0.2 }\n")
        .breakable("late", "honest", &[])
        .delay_server("late");
    let early = world.run(&["search", "--lexical", "add"]).exits(0);
    assert!(early.err.contains("still loading: late; search again in a few seconds"), "{early:?}");
    world.release_server("late");
    wait_until("the server is loaded", || world.status("late")["discoveryStatus"] == "success");
    let found = world.run(&["search", "--lexical", "add"]).exits(0);
    assert!(found.out.contains("late/add"), "{found:?}");
    assert_eq!(world.starts("late"), 1);
}

/// U-11: a broken server is reported where it concerns the user, and by no other command.
#[test]
fn a_broken_server_is_reported_only_where_it_matters() {
    let world = World::trusted().server("good", "honest", &[]).breakable("bad", "honest", &[]);
    world.break_server("bad");
    world.run(&["server", "refresh"]).exits(3);
    assert_eq!(world.run(&["search", "add"]).exits(0).err, "");
    assert_eq!(world.run(&["describe", "good/add"]).exits(0).err, "");
    assert_eq!(world.run(&["good/echo", "--text", "x"]).exits(0).err, "");
    assert_eq!(world.run(&["policy", "good/echo"]).exits(0).err, "");
    assert_eq!(
        world.run(&["tools"]).exits(0).err,
        "note: 1 server is unavailable or still loading (`toolscout server list`)\n"
    );
    assert!(world.run(&["server", "list"]).exits(0).out.contains("bad"));
    let doctor = world.run(&["doctor"]).exits(1).out;
    assert!(doctor.contains("could not load the tools of `bad`"), "{doctor}");
    world.run(&["run", "bad/echo"]).exits(3).stderr_contains(&["bad"]);
}
