use super::Api;
use super::catalog::world;
use crate::servers::scene::until;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

fn honest(world: &World) -> Value {
    let words = world.hostile("new", "honest", &[]);
    json!({"id": "new", "command": words[0], "args": words[1..]})
}

/// D-18
#[test]
fn a_server_is_added_once_and_what_is_no_server_is_not() {
    let world = World::trusted();
    let api = Api::start(&world);
    let added = api.ask("POST", "/api/servers", Some(honest(&world)));
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

/// What comes over the API is nobody's whom anybody trusts: not even in a trusted project is it used unseen.
#[test]
fn what_is_added_waits_for_a_person() {
    let world = World::trusted();
    let api = Api::start(&world);
    api.done("POST", "/api/servers", Some(honest(&world)));
    until("it was asked", || {
        api.get("/api/servers/new")["server"]["heldCount"].as_u64().is_some_and(|it| it > 3)
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
        .and_then(|it| it.iter().find(|it| it["tool"] == "new/echo"))
        .expect("it is held");
    let other = json!({"tool": "new/echo", "decision": "approve", "digest": "0".repeat(64)});
    assert_eq!(api.refused("POST", "/api/reviews", Some(other)), (409, "CONFLICT".to_owned()));
    let seen = json!({"tool": "new/echo", "decision": "approve", "digest": echo["digest"]});
    assert_eq!(
        api.done("POST", "/api/reviews", Some(seen)),
        json!({"decision": "approved", "tools": 1})
    );
    assert_eq!(api.done("POST", "/api/call", Some(call))["result"]["content"][0]["text"], "x");
    api.done("POST", "/api/reviews", Some(json!({"server": "new", "decision": "approve"})));
    assert_eq!(api.get("/api/reviews")["reviews"], json!([]));
}

/// Another program under a trusted name is another server.
#[test]
fn a_server_that_is_changed_to_run_something_else_waits_again() {
    let world = world().more("env = { PLAIN = \"word\", REFERRED = \"env:HOME\" }");
    let api = Api::start(&world);
    let before = api.get("/api/servers/mail")["server"].clone();
    assert_eq!(before["env"], json!({"PLAIN": "[REDACTED]", "REFERRED": "env:HOME"}));
    assert_eq!((&before["trusted"], &before["heldCount"]), (&json!(true), &json!(0)));
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
    until("it waits", || api.get("/api/servers/mail")["server"]["heldCount"] == 3);
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
fn a_server_that_is_removed_is_gone_with_its_tools() {
    let world = world();
    let api = Api::start(&world);
    assert_eq!(api.ask("DELETE", "/api/servers/mail", None).status, 200);
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
fn a_server_is_started_stopped_and_restarted() {
    let world = World::trusted().server("one", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let control =
        |action: &str| api.ask("POST", "/api/servers/one/control", Some(json!({"action": action})));
    let state =
        || api.get("/api/servers/one")["server"]["state"].as_str().unwrap_or_default().to_owned();
    for (action, status, then) in [
        ("start", "starting", "idle"),
        ("restart", "restarting", "idle"),
        ("stop", "stopping", "known"),
    ] {
        let before = world.starts("one");
        let answer = control(action);
        assert_eq!((answer.status, &answer.message()["status"]), (202, &json!(status)));
        until(&format!("it is {then} after {action}"), || {
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
fn a_server_is_tried_out_and_a_broken_one_says_why() {
    let world = World::trusted().server("good", "honest", &[]).breakable("bad", "honest", &[]);
    world.breaks("bad");
    let api = Api::start(&world);
    let good = api.done("POST", "/api/servers/good/test", None);
    assert_eq!(good["ok"], true);
    assert!(
        good["latencyMs"].is_u64() && good["toolCount"].as_u64().is_some_and(|it| it > 3),
        "{good}"
    );
    let bad = api.done("POST", "/api/servers/bad/test", None);
    assert_eq!((&bad["ok"], bad.get("toolCount")), (&json!(false), None));
    assert!(bad["error"].as_str().is_some_and(|it| !it.is_empty()), "{bad}");
}

/// In a project that nobody trusts, nothing is started, whoever asks.
#[test]
fn what_nobody_trusts_is_not_started() {
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

/// Who waits is told when the server has answered; who does not, at once.
#[test]
fn a_server_is_asked_anew() {
    let world = World::trusted().breakable("one", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let asked = world.starts("one");
    let refresh = |wait: bool| {
        let refreshed =
            api.done("POST", "/api/refresh", Some(json!({"servers": ["one"], "wait": wait})));
        refreshed["servers"][0]["status"].clone()
    };
    assert_eq!(refresh(true), "discovered");
    assert_eq!(world.starts("one"), asked + 1);
    assert_eq!(refresh(false), "discovering");
    until("it was asked", || world.starts("one") == asked + 2);
    // Who asks meanwhile is told what that one finds out.
    until("it has answered", || {
        api.get("/api/servers/one")["server"]["discoveryStatus"] == "success"
    });
    world.breaks("one");
    assert_eq!(refresh(true), "failed");
    let server = api.get("/api/servers/one")["server"].clone();
    assert_eq!((&server["discoveryStatus"], &server["stale"]), (&json!("failed"), &json!(true)));
    assert!(server["toolCount"].as_u64().is_some_and(|it| it > 3), "what it had stays: {server}");
}
