//! Imported servers are discovered like servers that the user adds.

use super::fixture::wait_until;
use crate::world::World;
use serde_json::json;

#[test]
fn imported_servers_are_discovered_in_the_background() {
    let world = World::project();
    let entry = |id: &str, enabled: bool| {
        let words = world.hostile(id, "honest", &[]);
        json!({"command": words[0], "args": words[1..], "disabled": !enabled})
    };
    let theirs = json!({"mcpServers": {"one": entry("one", true), "two": entry("two", true), "off": entry("off", false)}});
    let world = world.file("theirs.json", &theirs.to_string());
    world
        .run(&["import", "--file", "theirs.json"])
        .exits(0)
        .stderr_contains(&["Would add 3 servers"]);
    assert_eq!(world.starts("one"), 0);
    let added = world.run(&["import", "--file", "theirs.json", "--yes"]).exits(0);
    added.stderr_contains(&[
        "Added 3 servers to ",
        "in the background",
        "hint: toolscout server list",
    ]);
    wait_until("both servers are discovered", || {
        ["one", "two"].iter().all(|item| world.status(item)["discoveryStatus"] == "success")
    });
    assert_eq!((world.starts("one"), world.starts("two"), world.starts("off")), (1, 1, 0));
    assert_eq!(world.stdout(&["run", "two/echo", "--text", "taken over"]), "taken over\n");
    world
        .run(&["import", "--file", "theirs.json", "--yes"])
        .exits(0)
        .stderr_contains(&["Nothing to add"]);
    assert_eq!(world.starts("one"), 1);
}
