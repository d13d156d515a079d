//! 1. In a folder that nobody trusts files are read and never started, but for what a person runs themselves.
//! 2. Trust comes from the command, from an option or from a variable, and can be taken back.
//! 3. A person at a terminal is asked once, and what they say is remembered.
//! 4. Help and completion start nothing, trusted or not.

use crate::world::{Outcome, World, has};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"name": "secretive", "description": "Now it tells", "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}}}"#;

/// An executable without a header: only it knows what it is.
fn secretive() -> World {
    World::project().program("tools/secretive", SCHEMA, "echo done")
}

fn status(tools: &[Value]) -> &str {
    tools[0]["status"].as_str().expect("a status")
}

/// Listed by its file name, said to be unprobed, and not started by anything that lists.
#[test]
fn an_untrusted_executable_is_listed_by_name_and_not_started() {
    let world = secretive();
    let outcome =
        world.run(&["tools", "--json"]).exits(0).says(&["not trusted", "toolscout trust"]);
    let tools = outcome.json();
    assert_eq!((&tools[0]["name"], &tools[0]["status"]), (&json!("secretive"), &json!("unprobed")));
    assert!(
        tools[0]["reason"].as_str().is_some_and(|it| it.contains("toolscout trust")),
        "{tools}"
    );
    for args in [
        &["tools"][..],
        &["tools", "--stream"],
        &["search", "secretive"],
        &["describe", "secretive"],
        &["discover"],
        &["doctor"],
        &[],
    ] {
        world.run(args);
    }
    assert_eq!(world.started(), [""; 0]);
}

/// The warning is said once for a folder, however many files wait for it.
#[test]
fn an_untrusted_folder_is_mentioned_once() {
    let world = secretive().program("tools/other", SCHEMA, "");
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.err.matches("toolscout trust").count(), 1, "{outcome:?}");
}

/// `toolscout trust` from anywhere in the project; from then on the file is asked, once.
#[test]
fn trusting_the_project_lets_its_files_be_asked_once() {
    let world = secretive().at("tools");
    world.run(&["trust"]).exits(0).says(&["Trusted: ", "project"]);
    for _ in 0..2 {
        assert_eq!(world.out(&["tools"]), "  secretive - Now it tells\n");
    }
    assert_eq!(status(&world.tools(&[])), "ready");
    assert_eq!(world.started(), ["tool-schema"]);
}

/// `--trust` and the variable are for one run.
#[test]
fn trust_for_one_run_is_not_remembered() {
    let world = secretive();
    assert_eq!(status(&world.tools(&["--trust"])), "ready");
    assert_eq!(world.started(), ["tool-schema"]);
    assert_eq!(world.out(&["trust", "--list"]), "");
    let changed = world.program("tools/secretive", SCHEMA, "echo changed");
    assert_eq!(status(&changed.tools(&["--quiet"])), "unprobed");
    assert_eq!(changed.started(), ["tool-schema"]);
    let trusting = changed.var("TOOLSCOUT_TRUST", "1");
    assert_eq!(status(&trusting.tools(&[])), "ready");
    assert_eq!(trusting.started(), ["tool-schema", "tool-schema"]);
}

/// As with make or npm: what a person types runs.
#[test]
fn what_a_person_runs_themselves_needs_no_trust() {
    let world = secretive();
    assert_eq!(world.run(&["--quiet", "run", "secretive"]).exits(0).out, "done\n");
    assert_eq!(world.started(), ["tool-schema", "tool-invoke"]);
    assert_eq!(world.run(&["--quiet", "secretive"]).exits(0).out, "done\n");
    assert_eq!(world.out(&["trust", "--list"]), "");
}

/// Shown, taken back, and then in force no longer for files that have changed.
#[test]
fn trust_is_listed_and_can_be_taken_back() {
    let world = secretive();
    let project = world.path("").canonicalize().expect("the project").display().to_string();
    world.run(&["trust"]).exits(0);
    assert_eq!(world.out(&["trust", "--list"]), format!("{project}\n"));
    world.run(&["trust", "--remove"]).exits(0).says(&["No longer trusted", &project]);
    world.run(&["trust", "--remove"]).exits(0).says(&["Was not trusted"]);
    assert_eq!(world.out(&["trust", "--list"]), "");
    assert_eq!(status(&world.tools(&["--quiet"])), "unprobed");
    assert_eq!(world.started(), [""; 0]);
}

/// Trust covers what lies in a folder, and nothing beside it.
#[test]
fn trust_of_a_folder_covers_what_is_in_it_and_nothing_else() {
    let world = secretive().program(
        "../other/tools/stranger",
        &SCHEMA.replace("secretive", "stranger"),
        "",
    );
    world.run(&["trust", ".."]).exits(0);
    assert_eq!(status(&world.tools(&[])), "ready");
    world.run(&["trust", "--remove", ".."]).exits(0);
    world.run(&["trust", "."]).exits(0);
    let tools = world.tools(&["--root", "../other", "--root", "default", "--quiet"]);
    let states: Vec<_> = tools.iter().map(|it| (&it["name"], &it["status"])).collect();
    assert_eq!(
        states,
        [(&json!("stranger"), &json!("unprobed")), (&json!("secretive"), &json!("ready"))]
    );
    world.run(&["trust", "nowhere"]).exits(2).says(&["nowhere", "is not a folder"]);
}

/// Help and completion must be quick and harmless, even where files may be started.
#[test]
fn help_and_completion_start_nothing_even_in_a_trusted_folder() {
    let world = secretive().var("TOOLSCOUT_TRUST", "1");
    world.run(&["trust"]).exits(0);
    let all: [&[&str]; 7] = [
        &["--help"],
        &["secretive", "--help"],
        &["run", "secretive", "--help"],
        &["run", "--help", "secretive"],
        &["tools", "--help"],
        &["__complete", "--", "secretive", "--"],
        &["completion", "bash"],
    ];
    all.iter().for_each(|it| drop(world.run(it).exits(0)));
    assert_eq!(world.started(), [""; 0]);
    // What is remembered from an earlier run is shown, still without starting anything.
    world.run(&["tools"]).exits(0);
    assert!(world.out(&["secretive", "--help"]).contains("--x"));
    assert_eq!(world.started(), ["tool-schema"]);
}

/// A file with a header says what it is without being asked, so it is known before anybody trusts it.
#[test]
fn an_untrusted_script_with_a_header_is_known_from_its_header() {
    let script = "#!/bin/sh\n# tool: clear\n# description: Says it all\n# param x int - A number\n# knows tool-schema\n";
    let world = World::project().script("tools/clear.sh", script);
    assert_eq!(world.out(&["tools"]), "  clear - Says it all\n");
    assert!(world.out(&["clear", "--help"]).contains("--x"));
}

/// Runs `toolscout tools` on a terminal of its own and types this.
fn at_a_terminal(world: &World, typed: &str) -> Outcome {
    let file = world.outside().join("typed");
    std::fs::write(&file, typed).expect("write what is typed");
    let mut terminal = world.other("script");
    terminal.args(["--quiet", "--return", "--command", "toolscout tools", "/dev/null"]);
    Outcome::of(terminal.stdin(std::fs::File::open(file).expect("open it")))
}

#[test]
fn a_person_who_says_yes_is_not_asked_again_and_sees_the_tool_at_once() {
    if !has("script") {
        return;
    }
    let world = secretive();
    let asked = at_a_terminal(&world, "y\n").exits(0);
    assert!(asked.out.contains("Trust ") && asked.out.contains("Now it tells"), "{asked:?}");
    assert!(!at_a_terminal(&world, "").out.contains("[y/N]"));
    assert_eq!(status(&world.tools(&[])), "ready");
}

#[test]
fn a_person_who_says_no_is_not_asked_again_and_nothing_is_started() {
    if !has("script") {
        return;
    }
    let world = secretive();
    assert!(at_a_terminal(&world, "n\n").exits(0).out.contains("[y/N]"));
    assert!(!at_a_terminal(&world, "y\n").out.contains("[y/N]"));
    assert_eq!(world.started(), [""; 0]);
    assert_eq!(world.out(&["trust", "--list"]), "");
}
