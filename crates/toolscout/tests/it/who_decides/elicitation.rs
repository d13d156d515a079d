use crate::serve::{Agent, Client, Web, library};
use crate::world::World;
use serde_json::{Value, json};

const MODERN: &str = "MCP-Protocol-Version: 2026-07-28";

fn asking() -> World {
    library().file(
        "toolscout.toml",
        "[policies]\n\"local/sql_query\" = \"ask\"\n\n[profiles.data]\ninclude = [\"local/sql_query\"]\n",
    )
}

fn call() -> Value {
    json!({"name": "local__sql_query", "arguments": {"target": "users"}})
}

/// As [`call`], of a modern client that supports elicitation.
fn modern_call() -> Value {
    let mut params = call();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    params
}

/// The result is an error that names the pending approval, and the command that approves it.
fn check_pending(result: &Value) {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(result["isError"] == true && text.contains("toolscout approve "), "{result}");
}

/// The result of a call over HTTP with this token.
fn over_http(web: &Client, path: &str, secret: &str) -> Value {
    let bearer = format!("Authorization: Bearer {secret}");
    let headers = [&*bearer, MODERN, "Mcp-Method: tools/call", "Mcp-Name: local__sql_query"];
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern_call()});
    web.post(path, &headers, &message).message()["result"].clone()
}

/// V-21: on stdio, in both eras. Without the mark of the operator, the agent is not even asked.
#[test]
fn an_agent_cannot_approve_its_own_call() {
    let world = asking();
    let mut agent = Agent::able(&world, &[], json!({"elicitation": {}}));
    check_pending(&agent.request("tools/call", call()));
    assert!(agent.received("elicitation/create").is_empty());
    let mut agent = Agent::modern(&world, &[]);
    check_pending(&agent.request("tools/call", modern_call()));
}

/// V-24: the file of a project does not mark clients, and neither does one of its profiles.
#[test]
fn a_project_cannot_let_clients_approve() {
    let world =
        asking().append_config("approvals = \"client\"\n\n[serve]\napprovals = \"client\"\n");
    for args in [&[][..], &["--profile", "data"]] {
        let mut agent = Agent::able(&world, args, json!({"elicitation": {}}));
        check_pending(&agent.request("tools/call", call()));
    }
    let expected = "allowed only in your user configuration";
    world.run(&["doctor"]).stdout_contains(&["`serve.approvals` is set", expected]);
}

/// V-23: the operator may mark the clients of one profile.
#[test]
fn the_operator_marks_the_clients_of_a_profile() {
    let profile = "[profiles.data]\ninclude = [\"local/sql_query\"]\napprovals = \"client\"\n";
    let world = asking().file("../config/config.toml", profile);
    let mut agent = Agent::modern(&world, &["--profile", "data"]);
    assert_eq!(agent.request("tools/call", modern_call())["resultType"], "input_required");
    let mut agent = Agent::modern(&world, &[]);
    check_pending(&agent.request("tools/call", modern_call()));
}

/// V-22, V-25: over HTTP the token decides, even if the configuration marks all clients.
#[test]
fn over_http_only_a_marked_token_approves() {
    let world = asking().file("../config/config.toml", "[serve]\napprovals = \"client\"\n");
    let web = Web::start(&world, &[]);
    let create = |name: &str, approvals: &str| {
        let words = ["token", "create", "--name", name, "--approvals", approvals];
        world.run(&words).exits(0).out.trim().to_owned()
    };
    let (marked, other) = (create("desk", "client"), create("ci", "operator"));
    for secret in [&web.token(), &other] {
        check_pending(&over_http(&web, "/mcp", secret));
        check_pending(&over_http(&web, "/mcp/data", secret));
    }
    let result = over_http(&web, "/mcp", &marked);
    assert_eq!(result["resultType"], "input_required", "{result}");
}
