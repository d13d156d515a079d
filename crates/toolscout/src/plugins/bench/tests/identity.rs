//! 1. Every tool gets a unique id, for any name of it and its server.
//! 2. Tools of one server share its source; a tool without a server has its own source.

use crate::plugins::bench::identity::identities;
use crate::plugins::bench::set::SetTool;
use serde_json::json;
use std::collections::HashSet;

fn tool(id: &str, name: &str, server: Option<&str>) -> SetTool {
    serde_json::from_value(json!({"id": id, "name": name, "server": server})).unwrap()
}

fn shown(tools: &[SetTool]) -> Vec<String> {
    identities(tools).iter().map(ToString::to_string).collect()
}

#[test]
fn names_stay_as_they_are_and_servers_become_sources() {
    let tools = [
        tool("1", "math.factorial", Some("Forensic engineering")),
        tool("2", "検索 する", Some("Forensic engineering")),
        tool("3", "search", Some("forensic_engineering")),
        tool("4", "search", Some("必应")),
        tool("5", "", Some("百度")),
    ];
    let ids = [
        "forensic-engineering/math.factorial",
        "forensic-engineering/検索 する",
        "forensic_engineering/search",
        "source/search",
        "source-2/5",
    ];
    assert_eq!(shown(&tools), ids);
}

#[test]
fn alike_is_told_apart() {
    let long = "A server whose name is longer than any id may be";
    let tools: Vec<_> = [long, long, "a-server-whose-name-is-longer-than"]
        .into_iter()
        .enumerate()
        .map(|(at, server)| tool(&at.to_string(), "search", Some(server)))
        .collect();
    let ids = shown(&tools);
    assert_eq!(
        ids[..2],
        ["a-server-whose-name-is-longer-th/search", "a-server-whose-name-is-longer-th/search 2"]
    );
    assert_eq!(ids[2], "a-server-whose-name-is-longer-2/search");
}

#[test]
fn a_tool_without_a_server_is_alone() {
    let tools = [tool("1", "a", None), tool("2", "a", Some("")), tool("3", "a", Some("1"))];
    let sources: HashSet<_> =
        identities(&tools).into_iter().map(|identity| identity.source).collect();
    assert_eq!(sources.len(), 3);
    assert!(sources.iter().all(|source| source.as_str() == "1"
        || !source.as_str().contains(|c: char| c.is_ascii_digit() || "aeiou".contains(c))));
}
