//! 1. Trust covers the content that the user has seen: new and changed files and servers wait, in
//!    commands and in a running `serve`.
//! 2. What a command of the user writes is trusted with it. Author mode trusts all content.
//! 3. No command starts code of an untrusted project.

use crate::api::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use toolscout::surface::operation::{BoundOperation, WorkspaceSlot};
use toolscout_workspace::OPERATIONS;

fn schema(name: &str) -> String {
    json!({"name": name, "description": "Fetches", "inputSchema": {}}).to_string()
}

/// A `.mcp.json` with a program that leaves a file and is no server.
fn mcp_json(file: &str) -> String {
    let args = ["-c".to_owned(), format!("touch {file}")];
    json!({"mcpServers": {"fetch": {"command": "sh", "args": args}}}).to_string()
}

fn statuses(world: &World) -> Vec<String> {
    let tools = world.tools(&["--quiet"]);
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or("?").to_owned();
    tools.iter().map(|tool| text(tool, "name") + " " + &text(tool, "status")).collect()
}

fn waiting(world: &World) -> Value {
    world.run(&["trust", "show", "--json"]).exits(0).json()["changes"].clone()
}

/// V-50.
#[test]
fn a_new_or_changed_file_is_not_probed_until_it_is_trusted_again() {
    let world = World::project().program("tools/one", &schema("one"), "echo done");
    world.run(&["trust"]).exits(0).stderr_contains(&["new file tools/one", "1 file, 0 servers"]);
    assert_eq!(statuses(&world), ["one ready"]);
    assert_eq!(world.started(), ["tool-schema"]);
    let world = world.program("tools/one", &schema("one"), "echo changed").program(
        "tools/two",
        &schema("two"),
        "echo new",
    );
    assert_eq!(statuses(&world), ["one unprobed", "two unprobed"]);
    world.run(&["tools"]).stderr_contains(&["new or has changed since you trusted its folder"]);
    world.run(&["doctor"]).stdout_contains(&["new or has changed", "toolscout trust"]);
    world
        .run(&["review"])
        .exits(0)
        .stderr_contains(&["changed file tools/one", "new file tools/two"]);
    assert_eq!(world.started(), ["tool-schema"]);
    let waiting_files = waiting(&world);
    let [one, two] = &waiting_files.as_array().expect("a list")[..] else {
        panic!("{waiting_files}")
    };
    let names = |change: &Value| (change["name"].clone(), change["state"].clone());
    assert_eq!(names(one), (json!("tools/one"), json!("changed")));
    assert_eq!(names(two), (json!("tools/two"), json!("new")));
    assert_eq!(one["text"], fs::read_to_string(world.path("tools/one")).expect("a file"));
    world.run(&["trust"]).exits(0);
    assert_eq!(statuses(&world), ["one ready", "two ready"]);
    assert_eq!(waiting(&world), json!([]));
}

/// V-51.
#[test]
fn a_changed_server_entry_is_shown_and_not_started() {
    let world = World::project().file(".mcp.json", &mcp_json("first"));
    world.run(&["server", "refresh"]);
    assert!(!world.path("first").exists());
    world
        .run(&["trust"])
        .exits(0)
        .stderr_contains(&["new server .mcp.json: fetch", "$ sh -c touch first"]);
    world.run(&["server", "refresh"]);
    assert!(world.path("first").exists());
    world.replace(".mcp.json", &mcp_json("second"));
    world.run(&["server", "refresh"]);
    world.run(&["tools"]);
    world.run(&["server", "test", "fetch"]).exits(4).stderr_contains(&[
        "has changed since you trusted its project",
        "from `sh -c touch first` to `sh -c touch second`",
        "toolscout trust",
    ]);
    assert!(!world.path("second").exists());
    world.run(&["trust", "show"]).exits(0).stdout_contains(&[
        "changed server .mcp.json: fetch",
        "- sh -c touch first",
        "+ sh -c touch second",
    ]);
    world.run(&["trust"]).exits(0);
    world.run(&["server", "refresh"]);
    assert!(world.path("second").exists());
}

/// V-52: the running process has read the new entry, and serves the list of what waits.
#[test]
fn a_running_gateway_starts_nothing_that_appears_later() {
    let world = World::project().echo("tools/calm.tool.toml", "calm", "");
    world.run(&["trust"]).exits(0);
    let api = Api::start(&world);
    let world = world.program("tools/later", &schema("later"), "echo done");
    let world = world.file(".mcp.json", &mcp_json("ran"));
    wait_until("the new entry is read", || {
        api.get("/api/servers").to_string().contains("\"fetch\"")
    });
    wait_until("the new file is listed", || {
        api.get("/api/tools").to_string().contains("\"later\"")
    });
    let changes = api.get("/api/trust")["changes"].clone();
    assert_eq!(changes[0]["command"], "sh -c touch ran");
    assert_eq!(changes[1]["name"], "tools/later");
    assert!(!world.path("ran").exists());
    assert_eq!(world.started(), [""; 0]);
}

/// V-120: an acceptance is bound to what was shown; an agent accepts nothing.
#[test]
fn a_file_and_a_server_are_accepted_as_they_were_shown() {
    let world = World::project().echo("tools/calm.tool.toml", "calm", "");
    world.run(&["trust"]).exits(0);
    let api = Api::start(&world);
    let world = world.program("tools/later", &schema("later"), "echo done");
    let world = world.file(".mcp.json", &mcp_json("ran"));
    let shown = || {
        let changes = api.get("/api/trust")["changes"].clone();
        let digest = |name: &str| {
            let changes = changes.as_array().expect("a list");
            let change = changes.iter().find(|change| change["name"] == name);
            change.map_or(Value::Null, |change| change["digest"].clone())
        };
        (digest("tools/later"), digest(".mcp.json: fetch"))
    };
    wait_until("both are listed", || shown().0.is_string() && shown().1.is_string());
    let (file, server) = shown();
    let body = json!({"files": {"tools/later": file}, "servers": {".mcp.json: fetch": server}});
    let world = world.program("tools/later", &schema("later"), "echo changed");
    let refused = api.send_request("POST", "/api/trust", Some(body));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.body.contains("`tools/later` has changed"), "{refused:?}");
    assert!(!world.path("ran").exists(), "nothing of a refused request is trusted");
    let (file, server) = shown();
    let body = json!({"files": {"tools/later": file}, "servers": {".mcp.json: fetch": server}});
    let agent = api.request_as(&api.agent, "POST", "/api/trust", Some(body.clone()));
    assert_eq!(agent.status, 403, "{agent:?}");
    assert_eq!(waiting(&world).as_array().map(Vec::len), Some(2));
    assert_eq!(api.done("POST", "/api/trust", Some(body))["files"], 1);
    assert_eq!(waiting(&world), json!([]));
    wait_until("the server is started", || world.path("ran").exists());
}

/// V-53.
#[test]
fn a_nested_repository_needs_its_own_trust() {
    let world = World::project()
        .program("tools/own", &schema("own"), "")
        .file("vendor/.git/HEAD", "ref: refs/heads/main\n")
        .program("vendor/tools/other", &schema("other"), "");
    let tools = |world: &World| {
        world.tools(&["--quiet", "--root", "vendor"])[0]["status"].as_str().map(str::to_owned)
    };
    for args in [&["trust"][..], &["trust", "--author"]] {
        world.run(args).exits(0);
        assert_eq!(tools(&world).as_deref(), Some("unprobed"));
    }
    assert_eq!(world.started(), [""; 0]);
    world.run(&["trust", "vendor"]).exits(0);
    assert_eq!(tools(&world).as_deref(), Some("ready"));
}

/// V-54.
#[test]
fn an_author_trusts_new_and_changed_content_too() {
    let world = World::project().program("tools/one", &schema("one"), "");
    world.run(&["trust", "--author"]).exits(0).stderr_contains(&["all its content"]);
    let world = world.program("tools/two", &schema("two"), "");
    assert_eq!(statuses(&world), ["one ready", "two ready"]);
    world.run(&["trust", "show"]).exits(0).stdout_contains(&["with all new and changed content"]);
    world.run(&["trust"]).exits(0);
    let world = world.program("tools/two", &schema("two"), "echo changed");
    assert_eq!(statuses(&world), ["one ready", "two unprobed"]);
}

/// V-55.
#[test]
fn what_a_command_of_the_user_writes_is_trusted() {
    let world =
        World::project().script("scripts/greet", "#!/bin/sh\necho 'usage: greet [--name X]'\n");
    world.run(&["trust"]).exits(0);
    world.run(&["new", "fresh"]).exits(0);
    world.run(&["wrap", "--", "scripts/greet"]).exits(0);
    world.run(&["server", "add", "s", "--", "sh", "-c", "touch added"]).exits(0);
    let files = |changes: &Value| {
        let all = changes.as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|change| change["kind"] == "file").collect::<Vec<_>>()
    };
    assert_eq!(files(&waiting(&world)), [Value::Null; 0]);
    world.run(&["server", "refresh", "s"]);
    assert!(world.path("added").exists());
}

/// V-56: as with make or npm. The note is printed before.
#[test]
fn a_person_can_run_a_changed_file_and_sees_a_note() {
    let world = World::project().program("tools/one", &schema("one"), "echo done");
    world.run(&["trust"]).exits(0);
    let world = world.program("tools/one", &schema("one"), "echo changed");
    let outcome = world.run(&["run", "one"]).exits(0);
    assert_eq!(outcome.out, "changed\n");
    outcome.stderr_contains(&["changed since you trusted its folder"]);
    assert_eq!(statuses(&world.var("TOOLSCOUT_TRUST", "1")), ["one ready"]);
}

/// V-57: a record of an older version, or one that another program wrote, trusts nothing.
#[test]
fn trust_is_gone_if_its_database_is_replaced() {
    let world = World::project().program("tools/one", &schema("one"), "");
    world.run(&["trust"]).exits(0);
    let state = world.temp_dir().join("state");
    for file in ["trust.db", "trust.db-wal", "trust.db-shm"] {
        let _ = fs::remove_file(state.join(file));
    }
    assert_eq!(statuses(&world), ["one unprobed"]);
    assert_eq!(world.started(), [""; 0]);
    world.run(&["trust"]).stderr_contains(&["missing or was replaced", "toolscout trust reset"]);
    world.run(&["trust", "reset", "--yes"]).exits(0);
    world.run(&["trust"]).exits(0);
    assert_eq!(statuses(&world), ["one ready"]);
}

/// V-58: every example of every operation, in a project whose files leave a trace when they start.
#[test]
fn no_command_starts_code_of_an_untrusted_project() {
    let world = World::project()
        .program("tools/fetch", &schema("fetch"), "")
        .file("tools/manifest.json", &json!([{"name": "listed", "path": "fetch"}]).to_string())
        .file(".mcp.json", &mcp_json("ran"))
        .var("TOOLSCOUT_URL", "http://127.0.0.1:9");
    // The user names a program, or decides to trust.
    const EXPLICIT: [&str; 9] = [
        "toolscout trust",
        "toolscout run",
        "toolscout wrap",
        "toolscout new",
        "toolscout server add",
        "toolscout connect",
        "toolscout import",
        "toolscout init",
        "toolscout server test",
    ];
    let mut count = 0;
    for (_, bind) in OPERATIONS {
        let operation: BoundOperation = bind(&WorkspaceSlot::default());
        if operation.is_stream() || operation.spec.needs_network {
            continue;
        }
        let examples = operation.spec.examples.iter();
        let commands = examples.filter_map(|line| line.strip_prefix("toolscout "));
        let implicit = commands.filter(|line| {
            !EXPLICIT.iter().any(|name| format!("toolscout {line}").starts_with(name))
        });
        for line in implicit.filter(|line| !line.contains(['>', '|'])) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for more in [&[][..], &["--dry-run"]] {
                world.run(&[&words[..], more].concat());
                assert_eq!(world.started(), [""; 0], "{line}");
                assert!(!world.path("ran").exists(), "{line}");
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count} commands");
}
