//! The journal records every event, and `audit verify` detects later changes.

use super::{decisions, folder, is_sound, records};
use crate::serve::{Agent, library};
use crate::world::World;
use serde_json::json;
use std::fs;

#[test]
fn calls_of_operators_and_agents_are_recorded() {
    let world = library();
    world.run(&["run", "sql_query", "--target", "users"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    agent.call(
        "execute_tool",
        json!({"name": "send_email", "arguments": {"to": "a", "subject": "b", "body": "c"}}),
    );
    agent.call("execute_tool", json!({"name": "send_email", "arguments": {}}));
    assert_eq!(agent.end().0, 0);
    let calls = records(&world, "call");
    let recorded: Vec<_> = calls
        .iter()
        .map(|call| (call["caller"].as_str(), call["tool"].as_str(), call["outcome"].as_str()))
        .collect();
    assert_eq!(
        recorded.iter()
            .map(|(caller, tool, outcome)| [caller, tool, outcome].map(|value| value.unwrap_or("?")))
            .collect::<Vec<_>>(),
        [
            ["cli", "local/sql_query", "succeeded"],
            ["mcp", "local/send_email", "succeeded"],
            ["mcp", "local/send_email", "failed"]
        ]
    );
    assert_eq!(calls[0]["arguments"], json!({"target": "users"}));
    assert_eq!(calls[1]["client"], "test 1");
    assert_eq!(calls[1]["session"], calls[2]["session"]);
    assert!(calls[1]["bytes"].as_u64().is_some_and(|bytes| bytes > 10), "{}", calls[1]);
    assert_eq!(calls[2]["errorKind"], "invalid");
    assert!(calls.windows(2).all(|window| window[0]["n"].as_u64() < window[1]["n"].as_u64()));
    is_sound(&world);
}

#[test]
fn searches_discoveries_and_listings_are_recorded() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    agent.listed();
    agent.call("tool_search", json!({"query": "send a mail"}));
    assert_eq!(agent.end().0, 0);
    let searches = records(&world, "search");
    assert_eq!(
        (searches[0]["query"].as_str(), searches[0]["profile"].as_str()),
        (Some("send a mail"), Some("ranked"))
    );
    assert_eq!(searches[0]["hits"][0]["id"], "local/send_email");
    let shown = records(&world, "context");
    assert_eq!(
        (shown[0]["form"].as_str(), shown[1]["form"].as_str()),
        (Some("list"), Some("search"))
    );
    assert!(shown.iter().all(|item| item["tokens"].as_u64().is_some_and(|tokens| tokens > 10)));
    // By default, `audit show` omits searches.
    let usual = world.run(&["audit", "show"]).exits(0);
    assert!(!usual.out.contains("send a mail"), "{usual:?}");
}

/// Decisions that an operator makes in the terminal.
#[test]
fn decisions_of_operators_are_recorded() {
    let world = library().var("USER", "ann");
    world.run(&["policy", "set", "local/sql_query", "deny"]).exits(0);
    world.run(&["policy", "unset", "local/sql_query"]).exits(0);
    world.run(&["server", "add", "files", "--", "no-such-program"]).exits(0);
    world.run(&["server", "disable", "files"]).exits(0);
    world.run(&["server", "enable", "files"]).exits(0);
    world.run(&["server", "remove", "files"]).exits(0);
    world.run(&["trust", "--remove"]).exits(0);
    world.run(&["trust"]).exits(0);
    let folder = world.path("").canonicalize().expect("a folder").display().to_string();
    let expected = [
        "policy local/sql_query deny".to_owned(),
        "policy local/sql_query unset".to_owned(),
        "server files added".to_owned(),
        "server files disabled".to_owned(),
        "server files enabled".to_owned(),
        "server files removed".to_owned(),
        format!("trust {folder} removed"),
        format!("trust {folder} added"),
    ];
    assert_eq!(
        decisions(&world),
        expected.map(|expected| format!("{expected} operator ann through cli"))
    );
    let refused = world.run(&["--dry-run", "policy", "set", "local/sql_query", "deny"]).exits(0);
    assert_eq!(decisions(&world).len(), 8, "a dry run is not recorded: {refused:?}");
}

#[test]
fn each_step_of_an_approval_is_recorded() {
    let world = library()
        .file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n")
        .file("../config/config.toml", "[serve]\napprovals = \"client\"\n")
        .var("USER", "ann");
    let mut agent = Agent::legacy(&world, &[]);
    let call = json!({"name": "local__sql_query", "arguments": {"target": "users"}});
    let output = agent.request("tools/call", call.clone())["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    let id = output.split("toolscout approve ").nth(1).expect("a command");
    let id = &id[..id.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(id.len())];
    world.run(&["approve", id]).exits(0);
    agent.request("tools/call", call.clone());
    assert_eq!(agent.end().0, 0);
    let mut agent = Agent::able(&world, &[], json!({"elicitation": {}}));
    for action in ["accept", "decline"] {
        let request = agent.send_request("tools/call", call.clone());
        let prompt = agent.wait_for("elicitation/create");
        agent.send(
            &json!({"jsonrpc": "2.0", "id": prompt["id"], "result": {"action": action, "content": {}}}).to_string(),
        );
        agent.answer(request);
    }
    assert_eq!(agent.end().0, 0);
    let expected = [
        format!("requested the policy, as approval {id}"),
        "approved operator ann through cli".to_owned(),
        "allowed an earlier approval".to_owned(),
        "requested the policy".to_owned(),
        "approved client test 1 through elicitation".to_owned(),
        "requested the policy".to_owned(),
        "rejected client test 1 through elicitation".to_owned(),
    ];
    assert_eq!(
        decisions(&world),
        expected.map(|expected| format!("call local/sql_query {expected}"))
    );
    let policies: Vec<_> =
        records(&world, "call").iter().map(|record| record["policy"].clone()).collect();
    assert_eq!(policies, ["ask"; 4]);
}

#[test]
fn changes_to_the_audit_log_are_detected() {
    let world = library();
    for target in ["one", "two", "three"] {
        world.run(&["run", "sql_query", "--target", target]).exits(0);
    }
    is_sound(&world);
    let file = folder(&world).join("000001.jsonl");
    let text = fs::read_to_string(&file).expect("the journal");
    fs::write(&file, text.replace("\"two\"", "\"six\"")).expect("changed");
    let broken = world.run(&["audit", "verify"]).exits(1);
    assert!(broken.out.contains("000001.jsonl:2\n    record 2 was changed"), "{broken:?}");
    let as_data = world.run(&["audit", "verify", "--json"]).exits(1).json();
    assert_eq!(
        (as_data["valid"].as_bool(), as_data["breaks"][0]["n"].as_u64()),
        (Some(false), Some(2))
    );
    let lines: Vec<_> = text.lines().collect();
    fs::write(&file, format!("{}\n{}\n", lines[0], lines[1])).expect("truncate the file");
    let cut = world.run(&["audit", "verify"]).exits(1);
    assert!(cut.out.contains("records 3 to 3 are missing at the end"), "{cut:?}");
    // Later records do not hide the gap.
    world.run(&["run", "sql_query", "--target", "four"]).exits(0);
    let after = world.run(&["audit", "verify"]).exits(1);
    assert!(after.out.contains("records 3 to 3 are missing"), "{after:?}");
}

#[test]
fn audit_entries_can_be_filtered() {
    let world = library();
    for target in ["one", "two", "three"] {
        world.run(&["run", "sql_query", "--target", target]).exits(0);
    }
    let last = world.run(&["audit", "show", "-n", "2", "--json"]).exits(0).json();
    assert_eq!(last["entries"][0]["arguments"]["target"], "three");
    assert_eq!(
        (last["entries"].as_array().map(Vec::len), last["nextBefore"].as_u64()),
        (Some(2), Some(2))
    );
    let text = world.run(&["audit", "show", "--since", "1h"]).exits(0).out;
    let first = r#"call local/sql_query {"target":"one"} succeeded"#;
    assert!(text.lines().next().is_some_and(|line| line.contains(first)), "{text}");
    world
        .run(&["audit", "show", "--since", "2999-01-01"])
        .exits(0)
        .stdout_contains(&["No records."]);
    world
        .run(&["audit", "show", "--since", "soon"])
        .exits(2)
        .stderr_contains(&["`soon` is not a time", "2026-07-28"]);
    world.run(&["audit", "show", "--kind", "gossip"]).exits(2);
    world.run(&["audit", "show", "--limit", "few"]).exits(2).stderr_contains(&["\"few\" is not"]);
    assert_eq!(
        World::project().run(&["audit", "verify"]).exits(0).out,
        "The audit log is intact: no records\n"
    );
}
