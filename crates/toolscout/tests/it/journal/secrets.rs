//! No secret is ever on record.

use super::{records, whole};
use crate::serve::{Agent, library};
use serde_json::json;

/// By the name of a key only; they look like nothing.
const NAMED: [&str; 3] = ["canary-alpha", "canary-beta", "canary-gamma"];
/// By their shape only.
const SHAPED: [&str; 3] = [
    "ghp_Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEe",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ",
    "sk-ant-api03-Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEeZk3vQ9mXw2Rt7Ln4",
];

#[test]
fn secrets_are_in_no_file_of_the_journal_whichever_way_they_come() {
    let world = library().echo(
        "tools/login.tool.toml",
        "login",
        "[[parameters]]\nname = \"password\"\ntype = \"string\"\n[[parameters]]\nname = \"note\"\ntype = \"string\"",
    );
    world
        .run(&["run", "login", "--password", NAMED[0], "--note", &format!("with {}", SHAPED[0])])
        .exits(0);
    world.run(&["search", "open", "issues", "with", SHAPED[1]]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    let arguments =
        json!({"password": NAMED[1], "note": format!("Authorization: Bearer {}", SHAPED[2])});
    agent.call("execute_tool", json!({"name": "local/login", "arguments": arguments}));
    agent.call("tool_search", json!({"query": format!("send {} by mail", SHAPED[0])}));
    // One that does not fit, whose error quotes it.
    agent.call(
        "execute_tool",
        json!({"name": "local/login", "arguments": {"password": [NAMED[2]], "note": [SHAPED[1]]}}),
    );
    assert_eq!(agent.end().0, 0);
    assert!(records(&world, "call").len() >= 3 && records(&world, "search").len() == 2);
    let whole = whole(&world);
    assert!(whole.contains("[REDACTED]") && whole.contains("by mail"), "{whole}");
    for secret in NAMED.iter().chain(&SHAPED) {
        assert!(!whole.contains(secret), "{secret} is in {whole}");
    }
}

/// What a tool says may be anything; only how long it is is kept.
#[test]
fn results_are_not_kept() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let long = "harmless ".repeat(1_000);
    let result =
        agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": long}}));
    assert!(result.to_string().len() > 9_000);
    assert_eq!(agent.end().0, 0);
    let [call] = &records(&world, "call")[..] else { panic!("one call") };
    assert!(call["bytes"].as_u64().is_some_and(|it| it > 9_000), "{call}");
    assert_eq!(call["arguments"], json!({"target": "… 9000 bytes"}));
    assert!(!whole(&world).contains("harmless"));
}
