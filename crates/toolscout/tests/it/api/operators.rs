use super::Api;
use super::catalog::world;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};

/// An operator approves the call over the API, and the approval is valid once.
#[test]
fn a_call_waits_for_operator_approval() {
    let world = world();
    let api = Api::start(&world);
    let call = json!({"name": "mail/send", "arguments": {"token": "hunter2hunter2"}});
    let pending = api.request_as(&api.agent, "POST", "/api/call", Some(call.clone()));
    assert_eq!((pending.status, &pending.message()["code"]), (403, &json!("APPROVAL_REQUIRED")));
    let id = pending.message()["approval"].as_str().expect("a question").to_owned();
    let waiting = api.get("/api/approvals")["approvals"][0].clone();
    assert_eq!((&waiting["id"], &waiting["tool"]), (&json!(id), &json!("mail/send")));
    assert_eq!(waiting["arguments"], json!({"token": "[REDACTED]"}));
    let settled =
        api.done("POST", &format!("/api/approvals/{id}"), Some(json!({"decision": "approve"})));
    assert_eq!(settled["decision"], "approved");
    assert_eq!(api.request_as(&api.agent, "POST", "/api/call", Some(call.clone())).status, 200);
    assert_eq!(api.request_as(&api.agent, "POST", "/api/call", Some(call)).status, 403);
    assert_eq!(
        api.refused("POST", "/api/approvals/nobody", Some(json!({"decision": "reject"}))),
        (404, "RESOURCE_NOT_FOUND".to_owned())
    );
}

/// M-03a: a level may only set a policy that is at least as strict as its parent levels. The policy
/// applies immediately.
#[test]
fn a_policy_cannot_be_looser_than_its_parent_levels() {
    let world = world();
    fs::create_dir_all(world.temp_dir().join("config")).expect("a folder");
    fs::write(
        world.temp_dir().join("config/config.toml"),
        "[policies]\n\"mail/fetch\" = \"ask\"\n",
    )
    .expect("a file");
    let api = Api::start(&world);
    let set = |level: &str, pattern: &str, policy: Value| {
        api.send_request(
            "PUT",
            "/api/policies",
            Some(json!({"level": level, "pattern": pattern, "policy": policy})),
        )
    };
    assert_eq!(set("project", "mail/fetch", json!("allow")).status, 400);
    assert_eq!(set("project", "mail/fetch", json!("deny")).status, 200);
    let effective_policy = |id: &str| {
        api.get(&format!("/api/tools/{id}?all=true"))["tool"]["policies"]["effective"].clone()
    };
    assert_eq!(effective_policy("mail/fetch"), "deny");
    let catalog = api.get("/api/projects/current/configuration");
    assert_eq!(catalog["configuration"]["availableTools"][2]["configuredPolicy"], "deny");
    assert!(
        fs::read_to_string(world.path("toolscout.toml"))
            .expect("a file")
            .contains("fetch = \"deny\"")
    );
    assert_eq!(set("session", "mail/fetch", json!("disable")).status, 200);
    assert_eq!(effective_policy("mail/fetch"), "disable");
    assert_eq!(api.request_as(&api.agent, "GET", "/api/tools/mail/fetch", None).status, 404);
    assert_eq!(set("session", "mail/fetch", Value::Null).status, 200);
    assert_eq!(set("project", "mail/fetch", Value::Null).status, 200);
    assert_eq!(effective_policy("mail/fetch"), "ask");
    assert_eq!(set("global", "*", json!("ask")).status, 200);
    assert_eq!(effective_policy("local/hello"), "ask");
    assert_eq!(set("global", "*", Value::Null).status, 200);
    assert_eq!(effective_policy("local/hello"), "allow");
    for (level, pattern) in
        [("profile", "mail/x"), ("project", "mail"), ("project", "MAIL/x"), ("project", "")]
    {
        assert_eq!(set(level, pattern, json!("ask")).status, 400, "{level} {pattern}");
    }
}

/// A server with one tool, which returns the content of a file.
const ODD: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"odd","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"; cat said.json; printf '}\n' ;;
  esac
done"#;

/// The API returns the result of a tool byte for byte, whatever JSON it is.
#[test]
fn a_result_passes_through_unchanged() {
    let output = r#"{"content":[{"type":"text","text":"\u00e9"}],  "x":1.0e5,"big":12345678901234567890123,"structuredContent":{"b":1,"a":2},"_meta":{"k":null}}"#;
    let words = ["sh", "odd.sh"].map(str::to_owned);
    let world =
        World::trusted().entry("odd", &words, "").file("odd.sh", ODD).file("said.json", output);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let answer = api.send_request("POST", "/api/call", Some(json!({"name": "odd/odd"})));
    assert!(
        answer.body.starts_with(&format!("{{\"result\":{output},\"durationMs\":")),
        "{answer:?}"
    );
}

#[test]
fn a_discovery_emits_events() {
    let world = world();
    let api = Api::start(&world);
    let stream = api.web.begin("GET", "/api/events", &[&api.agent], "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.find(|line| line == "event: changed").expect("the stream has started");
    api.done("POST", "/api/refresh", Some(json!({"servers": ["mail"]})));
    lines.find(|line| line == "event: discovery").expect("a discovery");
    let done = lines
        .find(|line| line.contains("\"phase\":\"succeeded\""))
        .expect("the end of the discovery");
    assert!(done.contains("\"server\":\"mail\"") && done.contains("\"tools\":3"), "{done}");
}

/// A policy is not part of the server's configuration, so changing it does not restart the server.
#[test]
fn setting_a_policy_does_not_stop_a_running_server() {
    let world = World::trusted().server("one", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let call = json!({"name": "one/echo", "arguments": {"text": "x"}});
    api.done("POST", "/api/call", Some(call.clone()));
    let started = world.starts("one");
    let policy = json!({"level": "project", "pattern": "one/add", "policy": "deny"});
    api.done("PUT", "/api/policies", Some(policy));
    assert_eq!(api.get("/api/servers/one")["server"]["state"], "idle");
    api.done("POST", "/api/call", Some(call));
    assert_eq!(world.starts("one"), started);
}

/// M-03b: the entry of a server cannot loosen a policy, either.
#[test]
fn the_entry_of_a_server_cannot_be_looser_than_its_parent_levels() {
    let world = world();
    let folder = world.temp_dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), "[policies]\n\"mail/*\" = \"deny\"\n").expect("a file");
    let api = Api::start(&world);
    let body = json!({"tools": {"send": "allow"}});
    let answer = api.send_request("PUT", "/api/servers/mail", Some(body));
    let text = &answer.body;
    assert_eq!(answer.status, 400, "{text}");
    assert!(text.contains("looser") && text.contains("deny") && text.contains("disable"), "{text}");
    let before =
        fs::read_to_string(world.path("toolscout.toml")).expect("the configuration exists");
    assert!(before.contains("send = \"ask\""), "{before}");
    api.done("PUT", "/api/servers/mail", Some(json!({"tools": {"send": "disable"}})));
}
