//! Programs with a callback URL.

use super::program::{Program, Reply};
use super::{approve, call, listed, registration};
use crate::api::Api;
use crate::world::World;
use serde_json::{Value, json};

/// M-18a
#[test]
fn registered_tools_are_quarantined_then_found_and_called() {
    let world = World::trusted();
    let api = Api::start(&world);
    let program = Program::saying("Invoice 7: 120.00");
    let registered = api.send_request("POST", "/api/tools", Some(registration(Some(&program.url))));
    assert_eq!(registered.status, 201, "{registered:?}");
    let registered = registered.message();
    assert_eq!(registered["registration"]["state"], "active");
    assert_eq!(registered["registration"]["quarantinedCount"], 1);
    assert_eq!(api.refused("POST", "/api/call", Some(call())), (403, "POLICY_DENIED".to_owned()));
    assert!(program.was_not_called());
    assert_eq!(approve(&api), 1);

    let found = api.request_as(&api.agent, "GET", "/api/search?q=customer+payment", None);
    let hit = found.message()["results"][0].clone();
    assert_eq!((&hit["id"], &hit["source"]), (&json!("billing/invoice"), &json!("billing")));
    let result = api.request_as(&api.agent, "POST", "/api/call", Some(call())).message();
    assert_eq!(result["result"]["content"][0]["text"], "Invoice 7: 120.00");
    let received = program.received();
    assert!(received.is_signed_with(registered["secret"].as_str().expect("a secret")));
    let request = received.json();
    assert_eq!(request["tool"], "invoice");
    assert_eq!(request["arguments"], json!({"number": 7}));
    assert_eq!(request["context"]["source"], "billing");
    assert_eq!(request["context"]["caller"], "http");

    let headers = [api.agent.as_str()];
    let mut session = api.web.session("/mcp", &headers);
    let arguments = json!({"name": "billing/invoice", "arguments": {"number": 8}});
    assert_eq!(session.text("execute_tool", arguments), "Invoice 7: 120.00");
    assert_eq!(program.received().json()["context"]["caller"], "mcp");
    drop(session);

    let audit = world.run(&["audit", "show", "--json"]).exits(0).json();
    let entries = audit["entries"].as_array().expect("entries");
    let has = |text: &str| entries.iter().any(|entry| entry.to_string().contains(text));
    assert!(has("registered") && has("billing/invoice"), "{audit}");
}

/// M-18a: policies and arguments are checked as for every other tool, before the program is called.
#[test]
fn policies_and_schemas_apply_to_registered_tools() {
    let world = World::trusted();
    let api = Api::start(&world);
    let program = Program::saying("x");
    api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    approve(&api);
    let wrong = json!({"name": "billing/invoice", "arguments": {"number": "seven"}});
    let invalid = (400, "VALIDATION_FAILED".to_owned());
    assert_eq!(api.refused("POST", "/api/call", Some(wrong)), invalid);
    let denied = json!({"level": "project", "pattern": "billing/invoice", "policy": "deny"});
    api.done("PUT", "/api/policies", Some(denied));
    assert_eq!(api.refused("POST", "/api/call", Some(call())), (403, "POLICY_DENIED".to_owned()));
    assert!(program.was_not_called());
    let catalog = api.get("/api/projects/current/configuration");
    let tools = catalog["configuration"]["availableTools"].as_array().expect("tools").clone();
    let ours =
        tools.iter().find(|tool| tool["name"] == "billing/invoice").expect("the tool is listed");
    assert_eq!((&ours["type"], &ours["configuredPolicy"]), (&json!("mcp"), &json!("deny")));
}

/// M-18b
#[test]
fn invalid_registrations_are_refused() {
    let world = World::trusted().server("files", "honest", &[]);
    let api = Api::start(&world);
    let with = |field: &str, value: Value| {
        let mut body = registration(Some("http://127.0.0.1:9/call"));
        body[field] = value;
        body
    };
    let as_agent = api.request_as(&api.agent, "POST", "/api/tools", Some(registration(None)));
    assert_eq!((as_agent.status, &as_agent.message()["code"]), (403, &json!("FORBIDDEN")));
    for (body, part) in [
        (with("callback", json!("ftp://127.0.0.1/call")), "`http` or `https`"),
        (with("callback", json!("file:///etc/passwd")), "`http` or `https`"),
        (with("callback", json!("http://user:word@127.0.0.1/call")), "password"),
        (with("secret", json!("short")), "16 bytes"),
        (with("source", json!("Bad Id")), "bad-id"),
        (with("source", json!("local")), "reserved"),
        (with("tools", json!([])), "tools"),
        (with("tools", json!([{"description": "no name"}])), "it has no name"),
        (with("tools", json!([{"name": "x", "inputSchema": []}])), "not a JSON object"),
        (with("tools", json!([{"name": "x", "keywords": "x"}])), "list of strings"),
        (with("tools", json!([{"name": "x", "visibility": "secret"}])), "searchable"),
        (with("ttlMs", json!(1)), "ttlMs"),
        (with("unknown", json!(1)), "unknown"),
    ] {
        let refused = api.send_request("POST", "/api/tools", Some(body.clone()));
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert!(refused.body.contains(part), "{part} is not in {}", refused.body);
    }
    let taken = api.refused("POST", "/api/tools", Some(with("source", json!("files"))));
    assert_eq!(taken, (409, "DUPLICATE_SERVER".to_owned()));
    assert_eq!(api.get("/api/registrations"), json!({"registrations": []}));
}

/// M-18b: one bad definition does not hide the others, and the source has the name of the client
/// by default.
#[test]
fn usable_definitions_are_registered_with_warnings_about_the_others() {
    let world = World::trusted();
    let api = Api::start(&world);
    let tools = json!([{"name": "good"}, {"name": ""}, {"name": "good", "title": "Better"}]);
    let body = json!({"callback": "http://127.0.0.1:9/call", "tools": tools}).to_string();
    let headers = [api.operator.as_str(), "User-Agent: Acme Billing/2.1"];
    let answer = api.web.send("POST", "/api/tools", &headers, &body).message();
    assert_eq!(answer["registration"]["id"], "acme");
    assert_eq!(answer["registration"]["tools"], json!(["good"]));
    assert_eq!(
        answer["warnings"],
        json!([
            "tool `` is ignored: its name is empty",
            "tool `good` is defined twice; the last one is used"
        ])
    );
}

/// M-18d
#[test]
fn failures_of_a_program_are_reported() {
    let world = World::trusted();
    let api = Api::start(&world);
    let result = |program: &Program| {
        api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
        approve(&api);
        api.send_request("POST", "/api/call", Some(call()))
    };
    let failing = Program::start(Reply::Send("500 Internal Server Error", "disk full".to_owned()));
    let failed = result(&failing).message()["result"].clone();
    assert_eq!(failed["isError"], true);
    assert!(failed["content"][0]["text"].as_str().is_some_and(|text| text.contains("disk full")));

    let target = Program::saying("must not be called");
    let redirect = format!("302 Found\r\nLocation: {}", target.url);
    let redirecting = Program::start(Reply::Send(redirect.leak(), String::new()));
    let refused = result(&redirecting).message()["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("redirects are not followed"), "{refused}");
    assert!(target.was_not_called());

    let long = Program::start(Reply::Send("200 OK", "x".repeat(9 << 20)));
    let too_long = result(&long);
    assert_eq!(too_long.status, 424, "{too_long:?}");
    assert!(too_long.body.contains("larger than 8 MiB"), "{too_long:?}");

    let result_of_program =
        json!({"content": [{"type": "text", "text": "a"}], "_meta": {"n": 1.50}});
    let whole = Program::start(Reply::Send("200 OK", result_of_program.to_string()));
    assert_eq!(result(&whole).message()["result"], result_of_program);

    let unreachable = registration(Some("http://127.0.0.1:9/call"));
    api.done("POST", "/api/tools", Some(unreachable));
    approve(&api);
    let unavailable = (424, "SOURCE_UNAVAILABLE".to_owned());
    assert_eq!(api.refused("POST", "/api/call", Some(call())), unavailable);
    assert_eq!(listed(&api), ["invoice"]);
}

/// M-18d: the program sees that a call is cancelled, because its connection is closed.
#[test]
fn a_timeout_closes_the_connection_to_the_program() {
    let world = World::trusted();
    let api = Api::start(&world);
    let program = Program::start(Reply::Never);
    api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    approve(&api);
    let mut hurried = call();
    hurried["timeoutMs"] = json!(200);
    let (status, code) = api.refused("POST", "/api/call", Some(hurried));
    assert_eq!((status, code.as_str()), (424, "TIMED_OUT"));
    assert!(program.received().is_abandoned);
}
