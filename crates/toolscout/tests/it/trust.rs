//! 1. In an untrusted folder, discovery reads files and never starts them. A user can still run a
//!    tool explicitly.
//! 2. Trust comes from the command, an option or a variable, and can be removed.
//! 3. A user at a terminal is prompted once, and the answer is stored.
//! 4. Help and completion start nothing, trusted or not.

use crate::world::{Outcome, World, is_installed};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"name": "secretive", "description": "Now it tells", "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}}}"#;

/// An executable without a header, which only a probe can describe.
fn secretive() -> World {
    World::project().program("tools/secretive", SCHEMA, "echo done")
}

fn status(tools: &[Value]) -> &str {
    tools[0]["status"].as_str().expect("a status")
}

/// The listing marks the tool as unprobed.
#[test]
fn an_untrusted_executable_is_listed_by_file_name_and_not_started() {
    let world = secretive();
    let outcome = world
        .run(&["tools", "--json"])
        .exits(0)
        .stderr_contains(&["not trusted", "toolscout trust"]);
    let tools = outcome.json();
    assert_eq!((&tools[0]["name"], &tools[0]["status"]), (&json!("secretive"), &json!("unprobed")));
    assert!(
        tools[0]["reason"].as_str().is_some_and(|reason| reason.contains("toolscout trust")),
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

/// One warning per folder, regardless of the number of files.
#[test]
fn an_untrusted_folder_is_reported_once() {
    let world = secretive().program("tools/other", SCHEMA, "");
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.err.matches("toolscout trust").count(), 1, "{outcome:?}");
}

/// `toolscout trust` works from any folder of the project. After it the file is probed once.
#[test]
fn trusting_a_project_probes_its_files_once() {
    let world = secretive().in_folder("tools");
    world.run(&["trust"]).exits(0).stderr_contains(&["Trusted: ", "project"]);
    for _ in 0..2 {
        assert_eq!(world.stdout(&["tools"]), "  secretive - Now it tells\n");
    }
    assert_eq!(status(&world.tools(&[])), "ready");
    assert_eq!(world.started(), ["tool-schema"]);
}

/// `--trust` and the variable apply to one run.
#[test]
fn trust_for_one_run_is_not_stored() {
    let world = secretive();
    assert_eq!(status(&world.tools(&["--trust"])), "ready");
    assert_eq!(world.started(), ["tool-schema"]);
    assert_eq!(world.stdout(&["trust", "--list"]), "");
    let changed = world.program("tools/secretive", SCHEMA, "echo changed");
    assert_eq!(status(&changed.tools(&["--quiet"])), "unprobed");
    assert_eq!(changed.started(), ["tool-schema"]);
    let trusting = changed.var("TOOLSCOUT_TRUST", "1");
    assert_eq!(status(&trusting.tools(&[])), "ready");
    assert_eq!(trusting.started(), ["tool-schema", "tool-schema"]);
}

/// A tool that the user names runs without trust, as with make or npm.
#[test]
fn running_a_tool_explicitly_needs_no_trust() {
    let world = secretive();
    assert_eq!(world.run(&["--quiet", "run", "secretive"]).exits(0).out, "done\n");
    assert_eq!(world.started(), ["tool-schema", "tool-invoke"]);
    assert_eq!(world.run(&["--quiet", "secretive"]).exits(0).out, "done\n");
    assert_eq!(world.stdout(&["trust", "--list"]), "");
}

/// After the removal, the file is not probed.
#[test]
fn trust_can_be_listed_and_removed() {
    let world = secretive();
    let project = world.path("").canonicalize().expect("the project").display().to_string();
    world.run(&["trust"]).exits(0);
    assert_eq!(world.stdout(&["trust", "--list"]), format!("{project}\n"));
    world.run(&["trust", "--remove"]).exits(0).stderr_contains(&["No longer trusted", &project]);
    world.run(&["trust", "--remove"]).exits(0).stderr_contains(&["Was not trusted"]);
    assert_eq!(world.stdout(&["trust", "--list"]), "");
    assert_eq!(status(&world.tools(&["--quiet"])), "unprobed");
    assert_eq!(world.started(), [""; 0]);
}

#[test]
fn trust_covers_a_folder_and_its_subfolders_only() {
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
    let states: Vec<_> = tools.iter().map(|tool| (&tool["name"], &tool["status"])).collect();
    assert_eq!(
        states,
        [(&json!("stranger"), &json!("unprobed")), (&json!("secretive"), &json!("ready"))]
    );
    world.run(&["trust", "nowhere"]).exits(2).stderr_contains(&["nowhere", "is not a folder"]);
}

/// Help and completion must be fast and free of side effects.
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
    all.iter().for_each(|item| drop(world.run(item).exits(0)));
    assert_eq!(world.started(), [""; 0]);
    // The cached definition of an earlier run is shown, and nothing starts.
    world.run(&["tools"]).exits(0);
    assert!(world.stdout(&["secretive", "--help"]).contains("--x"));
    assert_eq!(world.started(), ["tool-schema"]);
}

/// A header describes the tool without a probe, so no trust is needed.
#[test]
fn an_untrusted_script_is_described_by_its_header() {
    let script = "#!/bin/sh\n# tool: clear\n# description: Says it all\n# param x int - A number\n# knows tool-schema\n";
    let world = World::project().script("tools/clear.sh", script);
    assert_eq!(world.stdout(&["tools"]), "  clear - Says it all\n");
    assert!(world.stdout(&["clear", "--help"]).contains("--x"));
}

/// Runs `toolscout tools` in a pseudo-terminal and types this.
fn at_a_terminal(world: &World, typed: &str) -> Outcome {
    let file = world.temp_dir().join("typed");
    std::fs::write(&file, typed).expect("write the typed text");
    let mut terminal = world.program_command("script");
    terminal.args(["--quiet", "--return", "--command", "toolscout tools", "/dev/null"]);
    Outcome::run(terminal.stdin(std::fs::File::open(file).expect("open it")))
}

#[test]
fn accepting_the_trust_prompt_shows_the_tools_and_prompts_once() {
    if !is_installed("script") {
        return;
    }
    let world = secretive();
    let pending = at_a_terminal(&world, "y\n").exits(0);
    assert!(pending.out.contains("Trust ") && pending.out.contains("Now it tells"), "{pending:?}");
    assert!(!at_a_terminal(&world, "").out.contains("[y/N]"));
    assert_eq!(status(&world.tools(&[])), "ready");
}

#[test]
fn declining_the_trust_prompt_starts_nothing_and_prompts_once() {
    if !is_installed("script") {
        return;
    }
    let world = secretive();
    assert!(at_a_terminal(&world, "n\n").exits(0).out.contains("[y/N]"));
    assert!(!at_a_terminal(&world, "y\n").out.contains("[y/N]"));
    assert_eq!(world.started(), [""; 0]);
    assert_eq!(world.stdout(&["trust", "--list"]), "");
}
