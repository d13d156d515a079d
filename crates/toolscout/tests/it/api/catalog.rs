use super::Api;
use crate::world::World;
use serde_json::{Value, json};

pub(super) fn mail() -> Value {
    json!([
        {"name": "send", "description": "Send a letter", "inputSchema": {"type": "object"}},
        {"name": "fetch", "inputSchema": {"type": "object"}},
        {"name": "sweep", "inputSchema": {"type": "object"}, "annotations": {"safeInternal": true}},
    ])
}

/// A project with a folder tool and a discovered server.
pub(super) fn world() -> World {
    let world =
        World::trusted().echo("tools/hello.tool.toml", "hello", "description = \"Say hello\"");
    let world = world.listing("mail", &mail()).append_config("tools = { send = \"ask\" }");
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn tools(answer: &Value) -> Vec<Value> {
    answer["configuration"]["availableTools"].as_array().expect("tools").clone()
}

/// D-13
#[test]
fn a_project_catalog_lists_its_own_tools_before_those_of_servers() {
    let world = world();
    let api = Api::start(&world);
    let answer = api.get("/api/projects/current/configuration");
    let all = tools(&answer);
    assert_eq!(all[0], json!({"name": "hello", "description": "Say hello", "type": "native"}));
    assert_eq!((&all[1]["name"], &all[1]["type"]), (&json!("mail/send"), &json!("mcp")));
    assert_eq!(
        (&all[1]["configuredPolicy"], &all[1]["discoveryStatus"]),
        (&json!("ask"), &json!("success"))
    );
    assert!(
        all[1]["lastDiscovered"]
            .as_str()
            .is_some_and(|last_discovered| last_discovered.ends_with('Z')),
        "{}",
        all[1]
    );
    assert_eq!(all[2]["description"], "mail tool: fetch");
    assert_eq!(all[2].get("configuredPolicy"), None);
    let project = &api.get("/api/projects")["projects"][0];
    assert_eq!(
        (&project["name"], &project["servers"], &project["tools"]),
        (&json!("project"), &json!(1), &json!(4))
    );
    let id = project["id"].as_str().expect("an id");
    assert_eq!(api.get(&format!("/api/projects/{id}/configuration")), answer);
}

const NATIVE: [(&str, &str); 15] = [
    ("bash", "Execute shell commands"),
    ("file_read", "Read files"),
    ("file_write", "Write files"),
    ("file_edit", "Edit files"),
    ("file_list", "List directory contents"),
    ("ripgrep_search", "Search files"),
    ("file_find", "Find files"),
    ("delegate", "Delegate to sub-agent"),
    ("url_fetch", "Fetch URLs"),
    ("task_create", "Create tasks"),
    ("task_list", "List tasks"),
    ("task_complete", "Complete tasks"),
    ("task_update", "Update tasks"),
    ("task_add_note", "Add task notes"),
    ("task_view", "View tasks"),
];

/// D-14
#[test]
fn the_native_preset_declares_fifteen_tools_that_cannot_be_called() {
    let world = World::trusted().file("toolscout.toml", "presets = [\"native\"]\n");
    let api = Api::start(&world);
    let expected: Vec<_> = NATIVE
        .iter()
        .map(|(name, about)| json!({"name": name, "description": about, "type": "native"}))
        .collect();
    assert_eq!(tools(&api.get("/api/projects/current/configuration")), expected);
    let called = api.send_request("POST", "/api/call", Some(json!({"name": "bash"})));
    assert_eq!((called.status, &called.message()["code"]), (424, &json!("SOURCE_UNAVAILABLE")));
    assert!(called.body.contains("no handler"), "{called:?}");
    world.run(&["run", "bash"]).exits(3).stderr_contains(&["no handler"]);
}

/// An executable tool takes precedence over a declared tool of the same name.
#[test]
fn an_existing_tool_replaces_a_declared_one() {
    let world = World::trusted().file("toolscout.toml", "presets = [\"native\"]\n");
    let world = world.echo("tools/bash.tool.toml", "bash", "description = \"Ours\"");
    let api = Api::start(&world);
    let all = tools(&api.get("/api/projects/current/configuration"));
    let ours: Vec<_> = all
        .iter()
        .filter(|item| item["name"].as_str().is_some_and(|name| name.contains("bash")))
        .collect();
    assert_eq!(ours, [&json!({"name": "bash", "description": "Ours", "type": "native"})]);
    api.done("POST", "/api/call", Some(json!({"name": "bash"})));
    World::project()
        .file("toolscout.toml", "presets = [\"x\"]")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["use native"]);
}

#[test]
fn reading_the_catalog_of_fifty_servers_starts_no_process() {
    let ids: Vec<_> = (0..50).map(|index| format!("s{index}")).collect();
    let world = ids.iter().fold(World::trusted(), |world, id| world.server(id, "honest", &[]));
    world.run(&["server", "refresh"]).exits(0);
    let starts = || ids.iter().map(|id| world.starts(id)).sum::<usize>();
    assert_eq!(starts(), 50);
    let api = Api::start(&world);
    for _ in 0..3 {
        assert!(tools(&api.get("/api/projects/current/configuration")).len() >= 250);
        assert_eq!(api.get("/api/servers")["servers"].as_array().map(Vec::len), Some(50));
        assert!(
            api.get("/api/tools?limit=1000")["total"].as_u64().is_some_and(|total| total >= 250)
        );
        for path in [
            "/api/projects",
            "/api/search?q=echo",
            "/api/policies",
            "/api/reviews",
            "/api/approvals",
        ] {
            api.get(path);
        }
        let session = api.done("POST", "/api/sessions", Some(json!({})));
        let id = session["session"]["id"].as_str().expect("an id");
        api.get(&format!("/api/sessions/{id}/configuration"));
        api.get("/api/servers/s7");
        api.get("/api/servers/s7/logs");
        api.get("/api/tools/s7/echo");
    }
    assert_eq!(starts(), 50);
}

/// Pages have no gaps or duplicates, and together they list every tool.
#[test]
fn tools_are_listed_page_by_page() {
    let world = world();
    let api = Api::start(&world);
    let mut path = "/api/tools?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = api.get(&path);
        assert_eq!(page["total"], 4);
        seen.extend(page["tools"].as_array().expect("tools").iter().map(|tool| tool["id"].clone()));
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("/api/tools?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, ["local/hello", "mail/send", "mail/fetch", "mail/sweep"].map(Value::from));
    assert_eq!(api.get("/api/tools?server=mail")["total"], 3);
    assert_eq!(api.get("/api/tools?q=letter")["tools"][0]["id"], "mail/send");
    let send = &api.get("/api/tools/mail/send")["tool"];
    assert_eq!((&send["policy"], &send["status"]), (&json!("ask"), &json!("ready")));
    assert_eq!(send["policies"]["levels"][1]["value"], "ask");
    assert_eq!(send["policies"]["levels"][2]["allowed"], json!(["ask", "deny", "disable"]));
}
