//! 1. A search includes the tools of a remote gateway. A call of such a tool goes through it, under
//!    the policies of both.
//! 2. A remote gateway that does not respond only loses its own hits.
//! 3. A federation cycle ends.

use super::web::Web;
use super::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

/// A project with one tool of its own, and an entry for this remote gateway.
fn world_with_remote(web: &Web, more: &str) -> World {
    World::trusted()
        .echo("tools/greet.tool.toml", "greet", "description = \"Greets somebody\"")
        .file(
            "toolscout.toml",
            &format!("[servers.remote]\nurl = \"http://{}/mcp\"\n{more}\n", web.addr),
        )
}

/// The same after a discovery, with an entry that enables delegation.
fn approved_world(web: &Web, more: &str) -> World {
    let world = world_with_remote(web, &format!("delegate = true\n{more}"));
    world.run(&["server", "refresh", "remote"]).exits(0);
    world
}

fn found(agent: &mut Agent, query: &str, most: u64) -> Vec<Value> {
    let answer = agent.call("tool_search", json!({"query": query, "max_results": most}));
    answer["structuredContent"]["results"]
        .as_array()
        .unwrap_or_else(|| panic!("no results: {answer}"))
        .clone()
}

fn ids(found: &[Value]) -> Vec<&str> {
    found.iter().map(|item| item["id"].as_str().unwrap_or("?")).collect()
}

/// F-06: remote tools are ranked with the local ones, under their qualified names, up to the limit.
/// A call by that name returns the remote result unchanged.
#[test]
fn a_remote_gateway_is_searched_and_its_tools_can_be_called() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    for mut agent in [Agent::legacy(&world, &[]), Agent::modern(&world, &[])] {
        let listed = agent.request("tools/list", json!({}))["tools"].to_string();
        assert!(listed.contains("remote (searched remotely)"), "{listed}");
        assert!(!listed.contains("remote__"), "{listed}");
        let hits = found(&mut agent, "send an email", 3);
        assert!((2..=3).contains(&hits.len()), "{hits:?}");
        assert_eq!(found(&mut agent, "send an email", 1).len(), 1, "no more hits than requested");
        assert_eq!(ids(&hits)[0], "remote/local/send_email");
        assert!(
            hits.is_sorted_by(|one, other| one["score"].as_f64() >= other["score"].as_f64()),
            "{hits:?}"
        );
        assert_eq!(hits[0]["inputSchema"]["required"], json!(["to", "subject", "body"]));
        let mail = json!({"to": "a", "subject": "b", "body": "c"});
        let order = json!({"name": "remote/local/send_email", "arguments": mail, "expect": hits[0]["digest"]});
        let sent = agent.call("execute_tool", order);
        assert_eq!(sent["structuredContent"], mail, "{sent}");
        // A form of the name and of the arguments that only models use.
        let sloppy = json!({"name": "remote__local__send_email", "parameters": mail.to_string()});
        assert_eq!(agent.call("execute_tool", sloppy)["structuredContent"], mail);
        let direct = agent.call("remote__local__send_email", mail.clone());
        assert_eq!(direct["structuredContent"], mail, "{direct}");
        let wrong = agent.call(
            "execute_tool",
            json!({"name": "remote/local/send_email", "arguments": {"to": "a"}}),
        );
        assert!(
            wrong["isError"] == true && wrong.to_string().contains("`subject` is required"),
            "{wrong}"
        );
        let unknown =
            agent.call("execute_tool", json!({"name": "remote/nothing", "arguments": {}}));
        assert!(unknown.to_string().contains("Tool not found: nothing"), "{unknown}");
        assert_eq!(ids(&found(&mut agent, "greet somebody", 1)), ["local/greet"]);
    }
}

/// M-05c: the two gateways speak the modern revision to each other, in which every result has a
/// type. A client of a legacy revision does not see it.
#[test]
fn a_remote_result_has_a_type_only_for_modern_clients() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    let order = json!({"name": "remote/local/send_email", "arguments": mail});
    for (mut agent, expected) in
        [(Agent::legacy(&world, &[]), Value::Null), (Agent::modern(&world, &[]), json!("complete"))]
    {
        found(&mut agent, "send an email", 3);
        for sent in [
            agent.call("execute_tool", order.clone()),
            agent.call("remote__local__send_email", mail.clone()),
        ] {
            assert_eq!(sent["structuredContent"], mail, "{sent}");
            assert_eq!(sent["resultType"], expected, "{sent}");
        }
    }
}

/// Help and `describe` send no request to a remote gateway, so the error names the gateway and the
/// search command.
#[test]
fn describing_a_remote_tool_says_how_to_search_for_it() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    for words in
        [&["run", "remote/local/send_email", "--help"][..], &["describe", "remote__send_email"]]
    {
        let output = world.run(words).exits(5);
        output.stderr_contains(&[
            "`remote` has not been searched",
            "toolscout search",
            "send_email' --json",
        ]);
    }
    world.run(&["run", "other/send_email", "--help"]).exits(5).stderr_contains(&["Unknown tool"]);
    let found = world.run(&["search", "send_email", "--json"]).exits(0);
    assert!(found.out.contains("remote/local/send_email"), "{found:?}");
}

/// F-06
#[test]
fn the_meta_tools_of_a_remote_gateway_cannot_be_called() {
    let library = library();
    let web = Web::open(&library, &[]);
    let mut agent = Agent::legacy(&approved_world(&web, ""), &[]);
    for name in ["remote__tool_search", "remote__execute_tool"] {
        let fault = agent.request_error(
            "tools/call",
            json!({"name": name, "arguments": {"name": "send_email"}}),
        );
        assert_eq!(fault["code"], -32602, "{fault}");
        let refused =
            agent.call("execute_tool", json!({"name": name, "arguments": {"name": "send_email"}}));
        assert!(refused.to_string().contains("Tool not found"), "{refused}");
    }
}

/// T20, T24: policies apply to remote tools under every form of their names.
#[test]
fn policies_apply_to_remote_tools() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(
        &web,
        "[servers.remote.tools]\n\"local/send_email\" = \"deny\"\n\"local/sql_query\" = \"disable\"",
    );
    let mut agent = Agent::legacy(&world, &[]);
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    for name in [
        "remote/local/send_email",
        "remote__local__send_email",
        "remote/send_email",
        "remote/`send_email`",
    ] {
        let refused = agent.call("execute_tool", json!({"name": name, "arguments": mail}));
        assert!(
            refused["isError"] == true && !refused.to_string().contains("\"subject\""),
            "{name}: {refused}"
        );
        assert!(
            refused.to_string().contains("is denied")
                || refused.to_string().contains("is disabled"),
            "{refused}"
        );
    }
    let hits = found(&mut agent, "execute sql queries", 10);
    assert!(!ids(&hits).contains(&"remote/local/sql_query"), "{hits:?}");
    let pdf = agent.call(
        "execute_tool",
        json!({"name": "remote/local/create_pdf", "arguments": {"target": "x"}}),
    );
    assert_eq!(pdf["structuredContent"], json!({"target": "x"}), "{pdf}");
}

/// A remote gateway is searched only if its entry enables it or an operator has approved its meta
/// tools.
#[test]
fn delegation_requires_approval_or_configuration() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = world_with_remote(&web, "");
    world.run(&["server", "refresh", "remote"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(found(&mut agent, "send an email", 10).iter().all(|item| item["source"] == "local"));
    drop(agent);
    world.run(&["review", "--accept", "remote"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(ids(&found(&mut agent, "send an email", 1)), ["remote/local/send_email"]);
    let refused = world_with_remote(&web, "delegate = false");
    refused.run(&["server", "refresh", "remote"]).exits(0);
    refused.run(&["review", "--accept", "remote"]).exits(0);
    let mut agent = Agent::legacy(&refused, &[]);
    assert!(!ids(&found(&mut agent, "send an email", 10)).contains(&"remote/local/send_email"));
}

/// The description of a remote `tool_search` lists its tools and changes with them. Such a change
/// needs no review.
#[test]
fn changed_remote_tools_are_found_without_a_review() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(ids(&found(&mut agent, "send an email", 1)), ["remote/local/send_email"]);
    let library = library.echo(
        "tools/zebra.tool.toml",
        "stripe-zebra",
        "description = \"Paints stripes on zebras\"",
    );
    let agent = std::cell::RefCell::new(agent);
    crate::servers::fixture::wait_until("the new tool is found", || {
        ids(&found(&mut agent.borrow_mut(), "paint stripes on zebras", 1))
            == ["remote/local/stripe-zebra"]
    });
    world.run(&["server", "refresh", "remote"]).exits(0);
    let review = world.run(&["review"]).exits(0);
    assert!(!review.out.contains("remote/"), "{review:?}");
    drop(library);
}

/// F-07: the notes name the unavailable gateway, and all other tools are found.
#[test]
fn an_unresponsive_remote_gateway_only_loses_its_own_hits() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    drop(web);
    let mut agent = Agent::legacy(&world, &[]);
    let answer = agent.call("tool_search", json!({"query": "greet somebody"}));
    let results = answer["structuredContent"]["results"].as_array().expect("results").clone();
    assert_eq!(ids(&results), ["local/greet"], "{answer}");
    assert!(
        answer["structuredContent"]["notes"][0]
            .as_str()
            .is_some_and(|note| note.starts_with("could not search `remote`")),
        "{answer}"
    );
}

/// a client that requests all tools also sees the remote ones.
#[test]
fn show_all_lists_remote_tools() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    let front = Web::open(&world, &[]);
    let mut session = front.session("/mcp", &["X-MCP-Show-All: true"]);
    let listed = session.listed();
    assert!(listed.contains(&"remote__local__send_email".to_owned()), "{listed:?}");
    assert_eq!(listed.len(), 11, "{listed:?}");
    assert!(listed.is_sorted(), "{listed:?}");
    let output = session.call("remote__local__create_pdf", json!({"target": "x"}));
    assert_eq!(output["structuredContent"], json!({"target": "x"}), "{output}");
}

/// Two gateways that refer to each other: each finds the tools of the other, and none twice.
#[test]
fn a_federation_cycle_ends() {
    let one = World::trusted().echo(
        "tools/greet.tool.toml",
        "greet",
        "description = \"Greets somebody\"",
    );
    let first = Web::open(&one, &[]);
    let other = approved_world(&first, "").echo(
        "tools/part.tool.toml",
        "part",
        "description = \"Says goodbye to somebody\"",
    );
    let second = Web::open(&other, &[]);
    // Add the second gateway to the first, which closes the cycle.
    let entry =
        format!("[servers.remote]\nurl = \"http://{}/mcp\"\ndelegate = true\n", second.addr);
    let one = one.file("toolscout.toml", &entry);
    one.run(&["server", "refresh", "remote"]).exits(0);
    let mut agent = Agent::legacy(&one, &[]);
    // A remote search has a time limit, which a busy machine may exceed.
    let mut search = || found(&mut agent, "says goodbye to somebody", 10);
    let hits = (0..20).map(|_| search()).find(|hits| ids(hits).contains(&"remote/local/part"));
    let hits = hits.expect("the tool of the other gateway");
    assert!(hits.len() < 10, "{:?}", ids(&hits));
}

#[test]
fn remote_tools_can_be_searched_and_called_from_the_command_line() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = approved_world(&web, "");
    let hits = world.run(&["search", "send an email", "--json"]).exits(0).json();
    assert_eq!(hits[0]["id"], "remote/local/send_email", "{hits}");
    let ran = world
        .run(&["run", "remote/local/send_email", "--to", "a", "--subject", "b", "--body", "c"])
        .exits(0);
    assert!(ran.out.contains("\"subject\""), "{ran:?}");
}
