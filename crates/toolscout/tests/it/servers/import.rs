//! Imported servers are discovered like servers that the user adds.

use super::fixture::wait_until;
use crate::world::World;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;

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

/// A keyring in a folder.
const SECRET_TOOL: &str = r#"#!/bin/sh
for account; do :; done
case "$1" in
store) cat > "$KEYRING/$account" ;;
lookup) cat "$KEYRING/$account" 2> /dev/null ;;
clear) rm "$KEYRING/$account" ;;
esac
"#;

/// Two projects may have a server of the same name with different tokens.
#[cfg(target_os = "linux")]
#[test]
fn a_keyring_entry_belongs_to_one_file() {
    let world = World::bare().script("bin/secret-tool", SECRET_TOOL).file("keyring/.keep", "");
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", world.path("bin").display());
    let keyring = world.path("keyring");
    let mut world =
        world.var("PATH", &path).var("KEYRING", &keyring.display().to_string()).in_folder("one");
    let import = ["import", "--file", "theirs.json", "--secrets", "keyring", "--yes"];
    for folder in ["../one", "../two"] {
        world = world.in_folder(folder);
        let entry = json!({"command": "x", "env": {"TOKEN": folder}, "disabled": true});
        let theirs = json!({"mcpServers": {"github": entry}});
        world = world.file("package.json", "{}").file("theirs.json", &theirs.to_string());
        world.run(&import).exits(0);
    }
    let secrets = || {
        let entries = fs::read_dir(&keyring).expect("the keyring").flatten();
        let texts = entries.map(|entry| fs::read_to_string(entry.path()).expect("an entry"));
        texts.filter(|text| !text.is_empty()).collect::<BTreeSet<_>>()
    };
    assert_eq!(secrets(), BTreeSet::from(["../one".to_owned(), "../two".to_owned()]));
    // The entry of a removed server stays, so this import adds none.
    world.run(&["server", "remove", "github"]).exits(0);
    world.run(&import).exits(0);
    world.run(&["undo"]).exits(0);
    assert_eq!(secrets().len(), 2);
    world.run(&["undo"]).exits(0);
    world.run(&["undo"]).exits(0);
    assert_eq!(secrets(), BTreeSet::from(["../one".to_owned()]));
}
