//! The API reports servers, calls and activity as they are: private lists, pending calls, filters.

use super::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

fn server(api: &Api, id: &str) -> Value {
    let all = api.get("/api/servers")["servers"].clone();
    let found = all.as_array().and_then(|all| all.iter().find(|server| server["id"] == id));
    found.unwrap_or_else(|| panic!("no `{id}` in {all}")).clone()
}

/// Servers of 2026-07-28 mark their lists as private by default. The process discovers them for
/// itself, and every client of the process sees their state.
#[test]
fn a_server_with_a_private_list_is_shown_as_loaded() {
    let more = ["--era", "modern", "--cache-scope", "private", "--ttl-ms", "0"];
    let world = World::trusted().server("private", "honest", &more);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    for token in [&api.operator, &api.agent] {
        let shown =
            api.request_as(token, "GET", "/api/servers", None).message()["servers"][0].clone();
        assert_eq!(
            (&shown["state"], &shown["toolCount"], &shown["discoveryStatus"]),
            (&json!("ready"), &json!(6), &json!("success")),
            "{shown}"
        );
    }
    // A refresh by the operator updates what everybody sees.
    let before = server(&api, "private")["lastDiscovery"].clone();
    api.done("POST", "/api/refresh", Some(json!({"servers": ["private"]})));
    let after = server(&api, "private");
    assert_ne!(after["lastDiscovery"], before, "{after}");
    assert_eq!(after["toolCount"], 6, "{after}");
    let tools = api.get("/api/tools?all=true&limit=1");
    assert_eq!(tools["total"], 6, "{tools}");
}

#[test]
fn a_call_that_waits_for_approval_is_pending_and_not_failed() {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["policy", "set", "s/echo", "ask"]).exits(0);
    let api = Api::start(&world);
    let call = json!({"name": "s/echo", "arguments": {"text": "x"}});
    assert_eq!(api.refused("POST", "/api/call", Some(call)).1, "APPROVAL_REQUIRED");
    let calls = api.get("/api/timeline?kind=call")["entries"].clone();
    assert_eq!((&calls[0]["outcome"], calls[0].get("error")), (&json!("pending"), None), "{calls}");
    let stats = api.get("/api/stats");
    let total = &stats["total"];
    assert_eq!((&total["failures"], &total["refused"]), (&json!(0), &json!(0)), "{total}");
}

#[test]
fn activity_is_filtered_by_client_source_tool_and_outcome() {
    let world = World::trusted().server("a", "honest", &[]).server("b", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    for (name, arguments) in
        [("a/echo", json!({"text": "1"})), ("a/fail", json!({})), ("b/echo", json!({"text": "2"}))]
    {
        api.send_request("POST", "/api/call", Some(json!({"name": name, "arguments": arguments})));
    }
    let tools = |query: &str| -> Vec<String> {
        let page = api.get(&format!("/api/timeline?kind=call&{query}"));
        let entries = page["entries"].as_array().expect("a list").clone();
        entries.iter().map(|entry| entry["tool"].as_str().unwrap_or_default().to_owned()).collect()
    };
    wait_until("all are recorded", || tools("").len() == 3);
    assert_eq!(tools("source=a"), ["a/fail", "a/echo"]);
    assert_eq!(tools("tool=ECHO"), ["b/echo", "a/echo"]);
    assert_eq!(tools("outcome=toolError"), ["a/fail"]);
    assert_eq!(tools("outcome=succeeded,toolError&source=b"), ["b/echo"]);
    assert_eq!(tools("client=nobody"), [""; 0]);
    // A page continues where the one before ended, with the same filter.
    let first = api.get("/api/timeline?kind=call&tool=echo&limit=1");
    let next = first["nextBefore"].as_u64().expect("there is another page");
    assert_eq!(tools(&format!("tool=echo&limit=1&before={next}")), ["a/echo"]);
    assert_eq!(
        api.refused("GET", "/api/timeline?outcome=good", None),
        (400, "VALIDATION_FAILED".to_owned())
    );
}

/// The user of a token owns no list of a server: the process does.
#[test]
fn a_server_that_gets_its_secret_from_a_user_is_loaded_for_the_process() {
    let more = ["--era", "modern", "--cache-scope", "private"];
    let world = World::trusted().server("private", "honest", &more);
    let world = world.append_config("env = { KEY = \"env:KEY\" }");
    let api = Api::start(&world);
    let words = ["token", "create", "--name", "ada", "--role", "operator", "--user", "ada"];
    let token = format!("Authorization: Bearer {}", world.run(&words).exits(0).out.trim());
    let stored = api.request_as(
        &token,
        "PUT",
        "/api/secrets/KEY",
        Some(json!({"value": "k3y-of-a-server"})),
    );
    assert_eq!(stored.status, 200, "{stored:?}");
    wait_until("the list is in the catalog", || server(&api, "private")["toolCount"] == 6);
}

#[test]
fn more_servers_than_background_tasks_are_refreshed() {
    let entry = |number: usize| format!("[servers.s{number}]\ncommand = \"false\"\n");
    let config: String = (0..70).map(entry).collect();
    let world = World::trusted().file("toolscout.toml", &config);
    let api = Api::start(&world);
    let started = api.done("POST", "/api/refresh", Some(json!({"wait": false})));
    assert_eq!(started["servers"].as_array().map(Vec::len), Some(70), "{started}");
}
