//! 1. A manifest entry without its file is listed as unavailable, and the check reports it.
//! 2. The check reports every difference between a manifest and its tools; a rebuilt manifest has
//!    none.
//! 3. A manifest cannot refer to files outside of its folder.

use crate::world::World;
use serde_json::json;
use std::fs;

fn manifest(description: &str) -> String {
    let args = json!({"url": {"type": "string", "required": true}});
    json!({"tools": [{"name": "fetch", "description": description, "path": "./fetch", "args": args}]}).to_string()
}

const FETCH: &str = r#"{"name": "fetch", "description": "Fetch data", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}}"#;

/// B-08: a call fails with the reason.
#[test]
fn a_manifest_entry_without_its_file_is_unavailable_and_reported_by_check() {
    let world = World::trusted().file("tools/manifest.json", &manifest("Fetch data"));
    let tools = world.tools(&[]);
    assert_eq!((&tools[0]["name"], &tools[0]["status"]), (&json!("fetch"), &json!("unavailable")));
    assert!(
        tools[0]["reason"].as_str().is_some_and(|reason| reason.contains("does not exist")),
        "{tools:?}"
    );
    let outcome = world.run(&["manifest", "check"]).exits(1);
    assert_eq!(outcome.out, "`fetch`: ./fetch does not exist\n");
    assert_eq!(
        world
            .run(&["fetch", "--url", "x"])
            .exits(3)
            .stderr_contains(&["fetch", "does not exist"])
            .out,
        ""
    );
}

/// B-08
#[test]
fn a_missing_file_does_not_affect_other_manifest_entries() {
    let manifest =
        json!({"tools": [{"name": "gone", "path": "gone"}, {"name": "here", "path": "here"}]});
    let world = World::project().file("tools/manifest.json", &manifest.to_string()).program(
        "tools/here",
        r#"{"name": "here", "inputSchema": {}}"#,
        "echo yes",
    );
    assert_eq!(world.names(&[]), ["gone", "here"]);
    assert_eq!(world.run(&["here"]).exits(0).out, "yes\n");
}

/// B-09: after `build` a second check reports nothing.
#[test]
fn a_manifest_that_differs_from_its_tool_is_reported_and_rebuilt() {
    let world = World::trusted().file("tools/manifest.json", &manifest("Something else")).program(
        "tools/fetch",
        FETCH,
        "cat",
    );
    let outcome = world
        .run(&["manifest", "check"])
        .exits(1)
        .stderr_contains(&["hint: toolscout manifest build"]);
    assert_eq!(
        outcome.out,
        "`fetch`: the description is \"Something else\" in the manifest and \"Fetch data\" in the tool\n"
    );
    world.run(&["manifest", "build"]).exits(0).stderr_contains(&["Wrote 1 tool"]);
    assert_eq!(
        world.run(&["manifest", "check"]).exits(0).stderr_contains(&["is up to date"]).out,
        ""
    );
    assert_eq!(world.stdout(&["tools"]), "  fetch - Fetch data\n");
    assert!(!world.started().contains(&"tool-invoke".to_owned()));
}

/// B-09: a tool that the manifest lacks, and a parameter that the tool lacks.
#[test]
fn every_manifest_difference_is_one_line() {
    let args = json!({"url": {"type": "number", "required": true}, "old": {"type": "string"}});
    let manifest = json!({"tools": [{"name": "fetch", "description": "Fetch data", "path": "./fetch", "args": args}]});
    let world = World::trusted()
        .file("tools/manifest.json", &manifest.to_string())
        .program("tools/fetch", FETCH, "cat")
        .program("tools/more", r#"{"name": "more", "inputSchema": {}}"#, "cat");
    let outcome = world.run(&["manifest", "check"]).exits(1);
    let lines: Vec<_> = outcome.out.lines().collect();
    assert_eq!(
        lines,
        [
            "`fetch`: the tool has no parameter `old`",
            "`fetch`: parameter `url`: type is \"number\" in the manifest and \"string\" in the tool",
            "`more` is not in the manifest (./more)",
        ]
    );
}

/// B-09: a second build changes nothing.
#[test]
fn manifest_build_is_deterministic_and_a_dry_run_writes_nothing() {
    let world = World::trusted().program("tools/fetch", FETCH, "cat").program(
        "tools/a",
        r#"{"name": "a", "inputSchema": {}}"#,
        "cat",
    );
    let shown = world.run(&["--dry-run", "manifest", "build"]).exits(0).out;
    assert!(!world.path("tools/manifest.json").exists());
    let built = [(); 2].map(|()| {
        world.run(&["manifest", "build", "tools"]).exits(0);
        fs::read_to_string(world.path("tools/manifest.json")).expect("a manifest")
    });
    assert_eq!((&built[0], &built[1]), (&shown, &shown));
    assert_eq!(world.names(&[]), ["a", "fetch"]);
}

/// Section 4 of the product
#[test]
fn a_manifest_path_outside_of_the_folder_is_refused() {
    let manifest =
        json!({"tools": [{"name": "out", "path": "../../escape"}, {"name": "in", "path": "in"}]});
    let world = World::project()
        .file("tools/manifest.json", &manifest.to_string())
        .script("../escape", "#!/bin/sh\n")
        .script("tools/in", "#!/bin/sh\n");
    let outcome = world
        .run(&["tools"])
        .exits(0)
        .stderr_contains(&["`../../escape` is outside the folder, so it is refused"]);
    assert_eq!(outcome.out, "  in - (no description)\n");
}

/// The check also fails if there is no manifest.
#[test]
fn manifest_check_fails_for_an_unreadable_manifest() {
    let world = World::trusted().file("tools/manifest.json", "{\"tools\": 3}");
    world.run(&["tools"]).exits(0).stderr_contains(&["manifest.json", "it must be a list"]);
    world
        .run(&["manifest", "check"])
        .exits(2)
        .stderr_contains(&["manifest.json", "it must be a list"]);
    let bare = World::trusted().file("tools/notes.md", "");
    bare.run(&["manifest", "check"]).exits(3).stderr_contains(&["manifest.json"]);
    World::trusted().run(&["manifest", "build"]).exits(3).stderr_contains(&["tools"]);
}

/// An untrusted folder is read, and nothing of it is started.
#[test]
fn an_untrusted_folder_is_neither_checked_nor_built() {
    let world = World::project().file("tools/manifest.json", &manifest("Fetch data")).program(
        "tools/fetch",
        FETCH,
        "cat",
    );
    for words in
        [&["manifest", "check"][..], &["manifest", "build"], &["manifest", "build", "--dry-run"]]
    {
        world.run(words).exits(4).stderr_contains(&["is not trusted", "toolscout trust"]);
    }
    assert_eq!(world.started(), [""; 0]);
    world.run(&["manifest", "build", "--trust"]).exits(0);
    assert_ne!(world.started(), [""; 0]);
}
