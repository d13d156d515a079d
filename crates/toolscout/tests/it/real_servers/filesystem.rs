//! The reference server for files, in TypeScript.

use super::{LEGACY, installed, names};
use crate::world::World;
use serde_json::json;
use std::fs;

#[test]
fn the_filesystem_server_allows_only_its_folder() {
    let Some(program) = installed("node_modules/.bin/mcp-server-filesystem") else { return };
    let world =
        World::project().file("notes/a.txt", "one\ntwo ☂\n").file("../outside.txt", "not yours");
    let shown = world.adds("files", &["--", &program, "notes"]);
    assert_eq!(shown["protocol"], LEGACY);
    assert!(
        ["list_directory", "read_text_file", "write_file"]
            .iter()
            .all(|item| names(&shown).contains(item)),
        "{shown}"
    );

    let host = world.host();
    let (notes, temp_dir) = (world.path("notes"), world.path("../outside.txt"));
    let path = |file: &str| notes.join(file).display().to_string();
    assert_eq!(world.calls(&["files/list_directory", "--path", &path("")]), "[FILE] a.txt\n");
    assert_eq!(world.calls(&["files/read_text_file", "--path", &path("a.txt")]), "one\ntwo ☂\n");
    assert_eq!(
        world.calls(&["files/read_text_file", "--path", &path("a.txt"), "--head", "1"]),
        "one\n"
    );
    world.calls(&["files/write_file", "--path", &path("b.txt"), "--content", "three"]);
    assert_eq!(fs::read_to_string(path("b.txt")).expect("written"), "three");

    let temp_dir = temp_dir.display().to_string();
    let denied = world
        .run(&["run", "files/read_text_file", "--path", &temp_dir])
        .exits(1)
        .stderr_contains(&["Access denied"]);
    assert_eq!(denied.out, "");
    let missing =
        world.run(&["run", "files/read_text_file", "--path", &path("c.txt"), "--json"]).exits(1);
    assert!(missing.out.contains("ENOENT"), "{missing:?}");
    assert_eq!(
        world.status("files")["state"],
        json!("idle"),
        "a failed tool is not a failed server"
    );
    drop(host);
    world.is_left_alone();
}
