//! What happens is on record, and whether that still is as it was.

use super::{decisions, folder, is_sound, records};
use crate::serve::{Agent, library};
use crate::world::World;
use serde_json::json;
use std::fs;

#[test]
fn what_people_and_agents_call_is_on_record() {
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
    let told: Vec<_> = calls
        .iter()
        .map(|it| (it["caller"].as_str(), it["tool"].as_str(), it["outcome"].as_str()))
        .collect();
    assert_eq!(
        told.iter()
            .map(|(caller, tool, outcome)| [caller, tool, outcome].map(|it| it.unwrap_or("?")))
            .collect::<Vec<_>>(),
        [
            ["cli", "local/sql_query", "done"],
            ["mcp", "local/send_email", "done"],
            ["mcp", "local/send_email", "failed"]
        ]
    );
    assert_eq!(calls[0]["arguments"], json!({"target": "users"}));
    assert_eq!(calls[1]["client"], "test 1");
    assert_eq!(calls[1]["session"], calls[2]["session"]);
    assert!(calls[1]["bytes"].as_u64().is_some_and(|it| it > 10), "{}", calls[1]);
    assert_eq!(calls[2]["errorKind"], "invalid");
    assert!(calls.windows(2).all(|it| it[0]["n"].as_u64() < it[1]["n"].as_u64()));
    is_sound(&world);
}

#[test]
fn searches_discoveries_and_lists_are_on_record_too() {
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
    let shown = records(&world, "shown");
    assert_eq!(
        (shown[0]["what"].as_str(), shown[1]["what"].as_str()),
        (Some("list"), Some("search"))
    );
    assert!(shown.iter().all(|it| it["tokens"].as_u64().is_some_and(|it| it > 10)));
    // What is of no account is not in the way of who looks for what was done.
    let usual = world.run(&["audit", "show"]).exits(0);
    assert!(!usual.out.contains("send a mail"), "{usual:?}");
}

/// Who decided what, from the terminal.
#[test]
fn decisions_of_people_are_on_record() {
    let world = library();
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
    assert_eq!(decisions(&world), expected.map(|it| format!("{it} a person at a terminal")));
    let refused = world.run(&["--dry-run", "policy", "set", "local/sql_query", "deny"]).exits(0);
    assert_eq!(decisions(&world).len(), 8, "what only would be done is not on record: {refused:?}");
}

#[test]
fn a_call_that_waits_for_a_person_is_on_record_with_each_step() {
    let world = library().file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    let call = json!({"name": "local__sql_query", "arguments": {"target": "users"}});
    let said = agent.request("tools/call", call.clone())["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    let id = said.split("toolscout approve ").nth(1).expect("a command");
    let id = &id[..id.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(id.len())];
    world.run(&["approve", id]).exits(0);
    agent.request("tools/call", call.clone());
    assert_eq!(agent.end().0, 0);
    let mut asked = Agent::able(&world, &[], json!({"elicitation": {}}));
    for action in ["accept", "decline"] {
        let request = asked.ask("tools/call", call.clone());
        let question = asked.told("elicitation/create");
        asked.send(
            &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}}).to_string(),
        );
        asked.answer(request);
    }
    assert_eq!(asked.end().0, 0);
    let expected = [
        format!("asked the policy, as question {id}"),
        "approved a person at a terminal".to_owned(),
        "allowed an answer that waited".to_owned(),
        "asked the policy".to_owned(),
        "allowed the person who was asked".to_owned(),
        "asked the policy".to_owned(),
        "denied the person who was asked".to_owned(),
    ];
    assert_eq!(decisions(&world), expected.map(|it| format!("call local/sql_query {it}")));
    let policies: Vec<_> = records(&world, "call").iter().map(|it| it["policy"].clone()).collect();
    assert_eq!(policies, ["ask"; 4]);
}

#[test]
fn whoever_changes_the_record_is_found_out() {
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
        (as_data["sound"].as_bool(), as_data["breaks"][0]["n"].as_u64()),
        (Some(false), Some(2))
    );
    let lines: Vec<_> = text.lines().collect();
    fs::write(&file, format!("{}\n{}\n", lines[0], lines[1])).expect("cut");
    let cut = world.run(&["audit", "verify"]).exits(1);
    assert!(cut.out.contains("records 3 to 3 are missing at the end"), "{cut:?}");
    // And it is not forgotten when others write on.
    world.run(&["run", "sql_query", "--target", "four"]).exits(0);
    let after = world.run(&["audit", "verify"]).exits(1);
    assert!(after.out.contains("records 3 to 3 are missing"), "{after:?}");
}

#[test]
fn what_is_shown_can_be_chosen() {
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
    assert!(
        text.lines()
            .next()
            .is_some_and(|it| it.contains(r#"call local/sql_query {"target":"one"} done"#)),
        "{text}"
    );
    world
        .run(&["audit", "show", "--since", "2999-01-01"])
        .exits(0)
        .prints(&["Nothing is on record."]);
    world
        .run(&["audit", "show", "--since", "soon"])
        .exits(2)
        .says(&["`soon` is no time", "2026-07-28"]);
    world.run(&["audit", "show", "--kind", "gossip"]).exits(2);
    world.run(&["audit", "show", "--limit", "few"]).exits(2).says(&["\"few\" is not"]);
    assert_eq!(
        World::project().run(&["audit", "verify"]).exits(0).out,
        "Sound: nothing is on record\n"
    );
}
