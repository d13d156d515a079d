//! Decisions of the operator over the API: a call is always allowed from now on, and the
//! definitions of a server are approved together.

use super::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Map, Value, json};

fn pending(api: &Api) -> String {
    let call = json!({"name": "s/echo", "arguments": {"text": "x"}});
    let answer = api.request_as(&api.agent, "POST", "/api/call", Some(call)).message();
    answer["approval"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn an_approval_can_allow_the_tool_from_now_on() {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["policy", "set", "s/echo", "ask"]).exits(0);
    let api = Api::start(&world);
    let path = format!("/api/approvals/{}", pending(&api));
    // The session cannot be looser than the project, so nothing is approved.
    let session = json!({"decision": "approve", "always": "session"});
    assert_eq!(api.refused("POST", &path, Some(session)), (409, "CONFLICT".to_owned()));
    let rejected = json!({"decision": "reject", "always": "project"});
    assert_eq!(api.refused("POST", &path, Some(rejected)).1, "VALIDATION_FAILED");
    assert_eq!(api.get("/api/approvals")["approvals"].as_array().map(Vec::len), Some(1));
    let project = json!({"decision": "approve", "always": "project"});
    let decided = api.done("POST", &path, Some(project));
    assert_eq!(
        (&decided["decision"], &decided["policy"]["policy"]),
        (&json!("approved"), &json!("allow"))
    );
    for text in ["x", "y"] {
        let call = json!({"name": "s/echo", "arguments": {"text": text}});
        let answer = api.request_as(&api.agent, "POST", "/api/call", Some(call));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn an_approval_can_allow_the_tool_for_this_session() {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let rule = json!({"level": "session", "pattern": "s/echo", "policy": "ask"});
    api.done("PUT", "/api/policies", Some(rule));
    let path = format!("/api/approvals/{}", pending(&api));
    let session = json!({"decision": "approve", "always": "session"});
    let decided = api.done("POST", &path, Some(session));
    assert_eq!(decided["policy"].get("file"), None, "{decided}");
    let tool = api.get("/api/tools/s/echo");
    assert_eq!(tool["tool"]["policies"]["effective"], "allow", "{tool}");
}

/// An operator approves the definitions that were shown, and no others.
#[test]
fn definitions_of_a_server_are_approved_together_only_as_they_were_shown() {
    let world = World::trusted();
    let words = world.hostile("new", "honest", &[]);
    let api = Api::start(&world);
    let entry = json!({"id": "new", "command": words[0], "args": words[1..]});
    api.done("POST", "/api/servers", Some(entry));
    let reviews = || api.get("/api/reviews")["reviews"].as_array().cloned().unwrap_or_default();
    wait_until("its tools are quarantined", || reviews().len() == 6);
    let digest = |review: &Value| {
        (review["tool"].as_str().unwrap_or_default().to_owned(), review["digest"].clone())
    };
    let mut digests: Map<String, Value> = reviews().iter().map(digest).collect();
    let decide = |digests: &Map<String, Value>| json!({"server": "new", "decision": "approve", "digests": digests});
    let mut other = digests.clone();
    other.insert("new/echo".to_owned(), "0".repeat(64).into());
    assert_eq!(
        api.refused("POST", "/api/reviews", Some(decide(&other))),
        (409, "CONFLICT".to_owned())
    );
    let echo = digests.shift_remove("new/echo").expect("a digest");
    assert_eq!(
        api.refused("POST", "/api/reviews", Some(decide(&digests))),
        (409, "CONFLICT".to_owned())
    );
    digests.insert("new/echo".to_owned(), echo);
    let decided = api.done("POST", "/api/reviews", Some(decide(&digests)));
    assert_eq!(decided, json!({"decision": "approved", "tools": 6}));
}

/// V-128: what waits for an approval is stored, and an operator has to read it.
#[test]
fn arguments_too_long_for_a_review_are_refused() {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["policy", "set", "s/echo", "ask"]).exits(0);
    let api = Api::start(&world);
    let call = |length: usize| {
        let call = json!({"name": "s/echo", "arguments": {"text": "x".repeat(length)}});
        api.request_as(&api.agent, "POST", "/api/call", Some(call)).body
    };
    let refused = call(65 * 1024);
    assert!(refused.contains("too long for a review"), "{refused}");
    assert_eq!(api.get("/api/approvals")["approvals"], json!([]));
    let pending = call(60 * 1024);
    assert!(pending.contains("APPROVAL_REQUIRED"), "{pending}");
    assert_eq!(api.get("/api/approvals")["approvals"].as_array().map(Vec::len), Some(1));
}

/// V-129: a server that no operator has reviewed runs only to list its tools.
#[test]
fn a_server_without_an_approved_tool_is_not_kept_running() {
    let world = World::trusted();
    let command = world.hostile("s", "honest", &[]);
    let mut words = vec!["server", "add", "s", "--untrusted", "--wait", "--"];
    words.extend(command.iter().map(String::as_str));
    world.run(&words).exits(0);
    let api = Api::start(&world);
    for action in ["start", "restart"] {
        let start = json!({"action": action, "wait": true});
        let refused = api.send_request("POST", "/api/servers/s/control", Some(start));
        assert_eq!(refused.status, 409, "{refused:?}");
        assert!(refused.body.contains("no tool of `s` is approved yet"), "{refused:?}");
    }
    world.run(&["review", "accept", "s"]).exits(0);
    wait_until("the tools are approved", || {
        api.get("/api/servers/s")["server"]["quarantinedCount"] == 0
    });
    let start = json!({"action": "start", "wait": true});
    assert_eq!(api.done("POST", "/api/servers/s/control", Some(start))["status"], "started");
}
