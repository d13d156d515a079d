//! 1. A manifest's entry whose file is missing is listed as unavailable, and the check says so.
//! 2. The check reports every difference between a manifest and its tools; a rebuilt manifest has none.
//! 3. A manifest stays inside its folder.

use crate::world::World;
use serde_json::json;
use std::fs;

fn manifest(description: &str) -> String {
    let args = json!({"url": {"type": "string", "required": true}});
    json!({"tools": [{"name": "fetch", "description": description, "path": "./fetch", "args": args}]}).to_string()
}

const FETCH: &str = r#"{"name": "fetch", "description": "Fetch data", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}}"#;

/// B-08: listed, flagged, refused with the reason, and named by the check.
#[test]
fn an_entry_whose_file_is_missing_is_unavailable_and_the_check_names_it() {
    let world = World::project().file("tools/manifest.json", &manifest("Fetch data"));
    let tools = world.tools(&[]);
    assert_eq!((&tools[0]["name"], &tools[0]["status"]), (&json!("fetch"), &json!("unavailable")));
    assert!(tools[0]["reason"].as_str().is_some_and(|it| it.contains("not there")), "{tools:?}");
    let outcome = world.run(&["manifest", "check"]).exits(1);
    assert_eq!(outcome.out, "`fetch`: ./fetch is not there\n");
    assert_eq!(world.run(&["fetch", "--url", "x"]).exits(3).says(&["fetch", "not there"]).out, "");
}

/// B-08: one missing file does not hide the manifest's other tools.
#[test]
fn a_missing_file_hides_no_other_entry() {
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

/// B-09: drift is reported, `build` mends it, a second check is clean.
#[test]
fn a_manifest_that_says_something_else_than_its_tool_is_reported_and_rebuilt() {
    let world = World::project().file("tools/manifest.json", &manifest("Something else")).program(
        "tools/fetch",
        FETCH,
        "cat",
    );
    let outcome =
        world.run(&["manifest", "check"]).exits(1).says(&["hint: toolscout manifest build"]);
    assert_eq!(
        outcome.out,
        "`fetch`: the description is \"Something else\", but the tool says \"Fetch data\"\n"
    );
    world.run(&["manifest", "build"]).exits(0).says(&["Wrote 1 tool"]);
    assert_eq!(world.run(&["manifest", "check"]).exits(0).says(&["is up to date"]).out, "");
    assert_eq!(world.out(&["tools"]), "  fetch - Fetch data\n");
    assert!(!world.started().contains(&"tool-invoke".to_owned()));
}

/// B-09: a tool that the manifest does not know, and a parameter that the tool does not have.
#[test]
fn every_difference_is_a_line_of_its_own() {
    let args = json!({"url": {"type": "number", "required": true}, "old": {"type": "string"}});
    let manifest = json!({"tools": [{"name": "fetch", "description": "Fetch data", "path": "./fetch", "args": args}]});
    let world = World::project()
        .file("tools/manifest.json", &manifest.to_string())
        .program("tools/fetch", FETCH, "cat")
        .program("tools/more", r#"{"name": "more", "inputSchema": {}}"#, "cat");
    let outcome = world.run(&["manifest", "check"]).exits(1);
    let lines: Vec<_> = outcome.out.lines().collect();
    assert_eq!(
        lines,
        [
            "`fetch`: the tool has no parameter `old`",
            "`fetch`: the parameter `url` has type \"number\", but the tool says \"string\"",
            "`more` is not in the manifest (./more)",
        ]
    );
}

/// B-09: building changes nothing where nothing changed, and can be looked at first.
#[test]
fn building_twice_gives_the_same_bytes_and_a_dry_run_writes_none() {
    let world = World::project().program("tools/fetch", FETCH, "cat").program(
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

/// Section 4 of the product: a manifest names files of its own folder only.
#[test]
fn a_path_that_leads_out_of_the_folder_is_refused() {
    let manifest =
        json!({"tools": [{"name": "out", "path": "../../escape"}, {"name": "in", "path": "in"}]});
    let world = World::project()
        .file("tools/manifest.json", &manifest.to_string())
        .script("../escape", "#!/bin/sh\n")
        .script("tools/in", "#!/bin/sh\n");
    let outcome = world.run(&["tools"]).exits(0).says(&["`../../escape` leads out of the folder"]);
    assert_eq!(outcome.out, "  in - (no description)\n");
}

/// A broken manifest is said with its place; a missing one is not there to be checked.
#[test]
fn a_manifest_that_cannot_be_read_is_an_error_of_the_check() {
    let world = World::project().file("tools/manifest.json", "{\"tools\": 3}");
    world.run(&["tools"]).exits(0).says(&["manifest.json", "it must be a list"]);
    world.run(&["manifest", "check"]).exits(2).says(&["manifest.json", "it must be a list"]);
    let bare = World::project().file("tools/notes.md", "");
    bare.run(&["manifest", "check"]).exits(3).says(&["manifest.json"]);
    World::project().run(&["manifest", "build"]).exits(3).says(&["tools"]);
}
