//! Servers are tested before they are saved, and a test saves nothing. Profiles and tokens are
//! listed without secrets.

use super::Api;
use crate::world::World;
use serde_json::json;
use std::fs;

#[test]
fn a_new_server_is_tested_before_it_is_saved() {
    let world = World::trusted();
    let words = world.hostile("new", "honest", &[]);
    let api = Api::start(&world);
    let good = json!({"command": words[0], "args": words[1..]});
    let passed = api.done("POST", "/api/servers/new/test", Some(good));
    assert_eq!((&passed["ok"], &passed["toolCount"]), (&json!(true), &json!(6)), "{passed}");
    let bad = json!({"command": "no-such-program-anywhere"});
    let failed = api.done("POST", "/api/servers/new/test", Some(bad));
    assert_eq!(failed["ok"], false, "{failed}");
    assert!(failed["error"].as_str().is_some_and(|error| error.contains("no-such-program")));
    for (path, body) in [
        ("/api/servers/new/test", json!({"command": ""})),
        ("/api/servers/new/test", json!({"url": "ftp://x"})),
        ("/api/servers/N%20W/test", json!({"command": "x"})),
    ] {
        assert_eq!(api.refused("POST", path, Some(body)).1, "VALIDATION_FAILED");
    }
    assert_eq!(api.get("/api/servers")["servers"], json!([]));
    assert!(!world.path("toolscout.toml").exists());
}

/// A broken server is repaired: the new settings are tested with the secrets of the entry, then
/// saved.
#[test]
fn changed_settings_of_a_server_are_tested_with_its_saved_secrets() {
    let world = World::trusted();
    let words = world.hostile("s", "honest", &[]);
    let entry =
        "[servers.s]\ncommand = \"no-such-program-anywhere\"\nenv = { WORD = \"secret\" }\n";
    let world = world.file("toolscout.toml", entry);
    let api = Api::start(&world);
    let before = api.done("POST", "/api/servers/s/test", Some(json!({})));
    assert_eq!(before["ok"], false, "{before}");
    let env = json!({"WORD": "[REDACTED]"});
    let repaired = json!({"command": words[0], "args": words[1..], "env": env});
    let after = api.done("POST", "/api/servers/s/test", Some(repaired.clone()));
    assert_eq!(after["ok"], true, "{after}");
    assert_eq!(fs::read_to_string(world.path("toolscout.toml")).expect("a file"), entry);
    api.done("PUT", "/api/servers/s", Some(repaired));
    let saved = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    assert!(saved.contains("secret") && !saved.contains("no-such-program"), "{saved}");
    assert_eq!(api.done("POST", "/api/servers/s/test", Some(json!({})))["ok"], true);
}

#[test]
fn profiles_are_listed_with_the_tools_that_they_have() {
    let world = World::trusted().server("s", "honest", &[]);
    let world = world.append_config(
        "[profiles.work]\ninclude = [\"s/e*\", \"s/add\"]\nmode = \"read-only\"\n[profiles.work.policies]\n\"s/add\" = \"deny\"\n",
    );
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let profiles = api.get("/api/profiles")["profiles"].clone();
    let work = &profiles[0];
    assert_eq!((&work["name"], &work["path"]), (&json!("work"), &json!("/mcp/work")), "{work}");
    assert_eq!(work["sources"], json!({"s": ["echo", "add"]}), "{work}");
    assert_eq!((&work["toolCount"], &work["allTools"]), (&json!(2), &json!(6)), "{work}");
    assert_eq!(
        (&work["mode"], &work["policies"]),
        (&json!("read-only"), &json!({"s/add": "deny"}))
    );
    assert_eq!(api.request_as(&api.agent, "GET", "/api/profiles", None).status, 403);
}

#[test]
fn access_tokens_are_listed_without_their_values() {
    let world = World::trusted();
    let absent = world.run(&["token", "list", "--json"]).exits(0).json();
    assert_eq!(absent["tokens"][0]["present"], false, "{absent}");
    let api = Api::start(&world);
    let text = api.get("/api/tokens").to_string();
    for file in ["agent.token", "operator.token"] {
        let secret =
            fs::read_to_string(world.temp_dir().join("state").join(file)).expect("a token");
        assert!(text.contains(file) && !text.contains(secret.trim()), "{text}");
    }
    assert_eq!(api.get("/api/tokens")["tokens"][1]["present"], true);
    assert_eq!(api.request_as(&api.agent, "GET", "/api/tokens", None).status, 403);
}
