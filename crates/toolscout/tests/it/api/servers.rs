use super::Api;
use super::catalog::world;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

fn honest(world: &World) -> Value {
    let words = world.hostile("new", "honest", &[]);
    json!({"id": "new", "command": words[0], "args": words[1..]})
}

/// D-18
#[test]
fn duplicate_and_invalid_servers_are_refused() {
    let world = World::trusted();
    let api = Api::start(&world);
    let added = api.send_request("POST", "/api/servers", Some(honest(&world)));
    assert_eq!((added.status, &added.message()["server"]["id"]), (201, &json!("new")), "{added:?}");
    assert_eq!(
        api.refused("POST", "/api/servers", Some(honest(&world))),
        (409, "DUPLICATE_SERVER".to_owned())
    );
    let wrong = "VALIDATION_FAILED".to_owned();
    assert_eq!(
        api.refused("PUT", "/api/servers/nobody", Some(json!({}))),
        (404, "RESOURCE_NOT_FOUND".to_owned())
    );
    for body in [
        json!({"id": "b"}),
        json!({"id": "b", "command": ""}),
        json!({"id": "b", "command": "x", "url": "http://localhost/"}),
        json!({"id": "b", "url": "ftp://localhost/"}),
        json!({"id": "B b", "command": "x"}),
        json!({"id": "local", "command": "x"}),
        json!({"id": "b", "command": "x", "tools": {"x": "maybe"}}),
        json!({"id": "b", "command": "x", "unknown": 1}),
        json!({"id": "b", "command": "toolscout"}),
    ] {
        assert_eq!(
            api.refused("POST", "/api/servers", Some(body.clone())),
            (400, wrong.clone()),
            "{body}"
        );
    }
    let written = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    assert_eq!(written.matches("[servers.").count(), 1, "{written}");
}

/// A server that was added over the API is quarantined even in a trusted project, because no
/// operator has reviewed its tools.
#[test]
fn tools_of_a_server_added_over_the_api_are_quarantined() {
    let world = World::trusted();
    let api = Api::start(&world);
    api.done("POST", "/api/servers", Some(honest(&world)));
    wait_until("the tools are quarantined", || {
        api.get("/api/servers/new")["server"]["quarantinedCount"]
            .as_u64()
            .is_some_and(|held_count| held_count > 3)
    });
    assert_eq!(api.get("/api/servers/new")["server"]["trusted"], false);
    let call = json!({"name": "new/echo", "arguments": {"text": "x"}});
    assert_eq!(
        api.refused("POST", "/api/call", Some(call.clone())),
        (403, "POLICY_DENIED".to_owned())
    );
    let reviews = api.get("/api/reviews")["reviews"].clone();
    let echo = reviews
        .as_array()
        .and_then(|reviews| reviews.iter().find(|item| item["tool"] == "new/echo"))
        .expect("the tool is quarantined");
    let other = json!({"tool": "new/echo", "decision": "approve", "digest": "0".repeat(64)});
    assert_eq!(api.refused("POST", "/api/reviews", Some(other)), (409, "CONFLICT".to_owned()));
    let approval = json!({"tool": "new/echo", "decision": "approve", "digest": echo["digest"]});
    assert_eq!(
        api.done("POST", "/api/reviews", Some(approval)),
        json!({"decision": "approved", "tools": 1})
    );
    assert_eq!(api.done("POST", "/api/call", Some(call))["result"]["content"][0]["text"], "x");
    api.done("POST", "/api/reviews", Some(json!({"server": "new", "decision": "approve"})));
    assert_eq!(api.get("/api/reviews")["reviews"], json!([]));
}

/// A different program under the name of a trusted server counts as a new server.
#[test]
fn changing_the_program_of_a_server_quarantines_its_tools() {
    let world = world().append_config("env = { PLAIN = \"word\", REFERRED = \"env:HOME\" }");
    let api = Api::start(&world);
    let before = api.get("/api/servers/mail")["server"].clone();
    assert_eq!(before["env"], json!({"PLAIN": "[REDACTED]", "REFERRED": "env:HOME"}));
    assert_eq!((&before["trusted"], &before["quarantinedCount"]), (&json!(true), &json!(0)));
    let renamed =
        api.done("PUT", "/api/servers/mail", Some(json!({"tools": {"send": "deny"}})))["server"]
            .clone();
    assert_eq!((&renamed["tools"], &renamed["trusted"]), (&json!({"send": "deny"}), &json!(true)));
    let change = json!({"env": {"PLAIN": "[REDACTED]", "MORE": "x"}});
    assert_eq!(api.done("PUT", "/api/servers/mail", Some(change))["server"]["trusted"], false);
    let written = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    assert!(
        written.contains("word") && written.contains("MORE") && !written.contains("REDACTED"),
        "{written}"
    );
    wait_until("the tools are quarantined", || {
        api.get("/api/servers/mail")["server"]["quarantinedCount"] == 3
    });
    assert_eq!(
        api.refused(
            "PUT",
            "/api/servers/mail",
            Some(json!({"command": "x", "url": "http://localhost"}))
        ),
        (400, "VALIDATION_FAILED".to_owned())
    );
}

#[test]
fn removing_a_server_removes_its_tools() {
    let world = world();
    let api = Api::start(&world);
    assert_eq!(api.send_request("DELETE", "/api/servers/mail", None).status, 200);
    assert_eq!(
        api.refused("GET", "/api/servers/mail", None),
        (404, "RESOURCE_NOT_FOUND".to_owned())
    );
    assert_eq!(
        api.refused("DELETE", "/api/servers/mail", None),
        (404, "RESOURCE_NOT_FOUND".to_owned())
    );
    assert_eq!(api.get("/api/tools?server=mail")["total"], 0);
    assert!(!fs::read_to_string(world.path("toolscout.toml")).unwrap_or_default().contains("mail"));
}

/// D-19
#[test]
fn a_server_can_be_started_stopped_and_restarted() {
    let world = World::trusted().server("one", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let control = |action: &str| {
        api.send_request("POST", "/api/servers/one/control", Some(json!({"action": action})))
    };
    let state =
        || api.get("/api/servers/one")["server"]["state"].as_str().unwrap_or_default().to_owned();
    for (action, status, then) in [
        ("start", "starting", "idle"),
        ("restart", "restarting", "idle"),
        ("stop", "stopping", "ready"),
    ] {
        let before = world.starts("one");
        let answer = control(action);
        assert_eq!((answer.status, &answer.message()["status"]), (202, &json!(status)));
        wait_until(&format!("it is {then} after {action}"), || {
            state() == then && (action == "stop" || world.starts("one") > before)
        });
    }
    let logs = api.get("/api/servers/one/logs");
    assert_eq!(logs, json!({"logs": "", "running": false}));
    assert_eq!(control("x").status, 400);
    assert_eq!(control("disable").message()["status"], "disabled");
    assert_eq!(api.get("/api/servers/one")["server"]["enabled"], false);
    assert_eq!((control("start").status, control("stop").status), (409, 202));
    assert_eq!(control("enable").message()["status"], "enabled");
    assert_eq!(api.get("/api/servers/one")["server"]["enabled"], true);
}

/// D-20
#[test]
fn testing_a_server_reports_success_or_the_error() {
    let world = World::trusted().server("good", "honest", &[]).breakable("bad", "honest", &[]);
    world.break_server("bad");
    let api = Api::start(&world);
    let good = api.done("POST", "/api/servers/good/test", None);
    assert_eq!(good["ok"], true);
    assert!(
        good["latencyMs"].is_u64()
            && good["toolCount"].as_u64().is_some_and(|tool_count| tool_count > 3),
        "{good}"
    );
    let bad = api.done("POST", "/api/servers/bad/test", None);
    assert_eq!((&bad["ok"], bad.get("toolCount")), (&json!(false), None));
    assert!(bad["error"].as_str().is_some_and(|error| !error.is_empty()), "{bad}");
}

#[test]
fn servers_of_an_untrusted_project_are_not_started_over_the_api() {
    let world = World::project().server("one", "honest", &[]);
    let api = Api::start(&world);
    for (path, body) in [("control", json!({"action": "start"})), ("test", json!({}))] {
        let path = format!("/api/servers/one/{path}");
        assert_eq!(
            api.refused("POST", &path, Some(body)),
            (403, "POLICY_DENIED".to_owned()),
            "{path}"
        );
    }
    let refreshed = api.done("POST", "/api/refresh", Some(json!({"servers": ["one"]})));
    assert_eq!(refreshed["servers"][0]["status"], "failed");
    assert_eq!(world.starts("one"), 0);
}

/// With `wait`, the response follows the discovery; without it, the response comes at once.
#[test]
fn refreshing_a_server_may_wait_or_run_in_the_background() {
    let world = World::trusted().breakable("one", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let pending = world.starts("one");
    let refresh = |wait: bool| {
        let refreshed =
            api.done("POST", "/api/refresh", Some(json!({"servers": ["one"], "wait": wait})));
        refreshed["servers"][0]["status"].clone()
    };
    assert_eq!(refresh(true), "refreshed");
    assert_eq!(world.starts("one"), pending + 1);
    assert_eq!(refresh(false), "refreshing");
    wait_until("the server is started", || world.starts("one") == pending + 2);
    // A refresh during a discovery would share its result, so wait for its end.
    wait_until("the discovery succeeds", || {
        api.get("/api/servers/one")["server"]["discoveryStatus"] == "success"
    });
    world.break_server("one");
    assert_eq!(refresh(true), "failed");
    let server = api.get("/api/servers/one")["server"].clone();
    assert_eq!((&server["discoveryStatus"], &server["stale"]), (&json!("failed"), &json!(true)));
    assert!(
        server["toolCount"].as_u64().is_some_and(|tool_count| tool_count > 3),
        "the previous tools are kept: {server}"
    );
}
