//! 1. What a source found replaces what was known of it, whole; other sources stay.
//! 2. Stronger origins come first and answer to bare names; who is hidden is said.
//! 3. Every form of a name leads to the tool; several of equal strength are an error that lists them.

use crate::{Discovery, Snapshot, Unresolved};
use std::sync::Arc;
use toolscout_core::{Found, Origin, ProblemKind, SourceId, Tool, ToolId, ToolName};

fn found(source: &str, origin: Origin, names: &[&str]) -> Discovery {
    let source = SourceId::new(source).unwrap();
    let mut discovery = Discovery::new(source.clone(), origin);
    for name in names {
        discovery.add(Found::Tool(Arc::new(Tool::new(ToolId::new(source.clone(), ToolName::new(name).unwrap())))));
    }
    discovery
}

fn world() -> Snapshot {
    let found = vec![
        found("fs", Origin::Mcp, &["read", "search", "svc__send"]),
        found("git", Origin::Mcp, &["search", "log"]),
        found("local", Origin::Folder, &["fetch-data", "log"]),
    ];
    Snapshot::default().merge(found).0
}

fn resolve(snapshot: &Snapshot, text: &str) -> String {
    match snapshot.resolve(text) {
        Ok(tool) => tool.id.to_string(),
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn folders_come_before_servers_whatever_the_order_of_adding() {
    let ids: Vec<_> = world().tools().map(|it| it.id.to_string()).collect();
    assert_eq!(ids, ["local/fetch-data", "local/log", "fs/read", "fs/search", "fs/svc__send", "git/search", "git/log"]);
}

#[test]
fn a_new_discovery_replaces_its_source_and_leaves_the_others() {
    let (next, _) = world().merge(vec![found("fs", Origin::Mcp, &["write"])]);
    assert_eq!(resolve(&next, "fs/write"), "fs/write");
    assert!(next.resolve("fs/read").is_err());
    assert_eq!(resolve(&next, "git/search"), "git/search");
    assert_eq!(world().without(&SourceId::local()).len(), 5);
}

#[test]
fn a_tool_found_again_takes_the_place_of_the_first() {
    let discovery = found("local", Origin::Folder, &["a", "b", "a"]);
    let names: Vec<_> = discovery.tools.iter().map(|it| it.id.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn every_form_of_a_name_leads_to_the_tool() {
    let world = world();
    for text in ["fs/read", "fs:read", "fs__read", "mcp:read", "mcp/read", "read"] {
        assert_eq!(resolve(&world, text), "fs/read", "{text}");
    }
    assert_eq!(resolve(&world, "svc__send"), "fs/svc__send");
}

#[test]
fn the_stronger_source_answers_to_a_bare_name_and_the_hidden_one_is_said() {
    assert_eq!(resolve(&world(), "log"), "local/log");
    assert_eq!(resolve(&world(), "mcp:log"), "git/log");
    let (_, problems) =
        Snapshot::default().merge(vec![found("git", Origin::Mcp, &["log"]), found("local", Origin::Folder, &["log"])]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].kind, ProblemKind::Shadowed);
}

#[test]
fn a_bare_name_of_two_equals_is_an_error_that_lists_both() {
    assert_eq!(resolve(&world(), "search"), "Ambiguous { candidates: [fs/search, git/search] }");
    assert_eq!(resolve(&world(), "mcp:search"), "Ambiguous { candidates: [fs/search, git/search] }");
}

#[test]
fn an_unknown_name_comes_with_what_is_nearest() {
    assert_eq!(resolve(&world(), "fetch-dat"), "Unknown { nearest: [local/fetch-data] }");
    assert_eq!(world().resolve("zzz").unwrap_err(), Unresolved::Unknown { nearest: vec![] });
}
