use super::{records, whole};
use crate::serve::{Agent, library};
use serde_json::json;

/// Secrets that only the name of their key reveals.
const NAMED: [&str; 3] = ["canary-alpha", "canary-beta", "canary-gamma"];
/// Secrets that only their shape reveals.
const SHAPED: [&str; 3] = [
    "ghp_Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEe",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ",
    "sk-ant-api03-Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEeZk3vQ9mXw2Rt7Ln4",
];

#[test]
fn no_journal_file_contains_secrets() {
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
    // An invalid argument, which the error message quotes.
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

/// The journal contains only the length of a result.
#[test]
fn results_are_not_recorded() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let long = "harmless ".repeat(1_000);
    let result =
        agent.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": long}}));
    assert!(result.to_string().len() > 9_000);
    assert_eq!(agent.end().0, 0);
    let [call] = &records(&world, "call")[..] else { panic!("one call") };
    assert!(call["bytes"].as_u64().is_some_and(|bytes| bytes > 9_000), "{call}");
    assert_eq!(call["arguments"], json!({"target": "… 9000 bytes"}));
    assert!(!whole(&world).contains("harmless"));
}
