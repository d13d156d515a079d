//! 1. A discovery replaces all earlier tools of its source; other sources stay.
//! 2. Stronger origins come first and win bare names; hidden tools are reported.
//! 3. Request-specific tools on top of a snapshot are weaker than all others, and leave it
//!    unchanged.
//! 4. Rediscovered tools are equal to the earlier ones.
//! 5. Every form of a name resolves to the tool; several of equal strength are an error that lists
//!    them.

use crate::{Snapshot, SourceDiscovery, Unresolved};
use std::sync::Arc;
use toolscout_core::{DiagnosticKind, DiscoveryItem, SourceId, SourceKind, Tool, ToolId, ToolName};

fn found(source: &str, origin: SourceKind, names: &[&str]) -> SourceDiscovery {
    let source = SourceId::new(source).unwrap();
    let mut discovery = SourceDiscovery::new(source.clone(), origin);
    for name in names {
        discovery.add(DiscoveryItem::Tool(Arc::new(Tool::new(ToolId::new(
            source.clone(),
            ToolName::new(name).unwrap(),
        )))));
    }
    discovery
}

fn world() -> Snapshot {
    let found = vec![
        found("fs", SourceKind::Mcp, &["read", "search", "svc__send"]),
        found("git", SourceKind::Mcp, &["search", "log"]),
        found("local", SourceKind::Folder, &["fetch-data", "log"]),
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
fn folders_come_before_servers_in_any_order_of_merging() {
    let ids: Vec<_> = world().tools().map(|tool| tool.id.to_string()).collect();
    assert_eq!(
        ids,
        [
            "local/fetch-data",
            "local/log",
            "fs/read",
            "fs/search",
            "fs/svc__send",
            "git/search",
            "git/log"
        ]
    );
}

#[test]
fn a_new_discovery_replaces_its_source_and_leaves_the_others() {
    let (next, _) = world().merge(vec![found("fs", SourceKind::Mcp, &["write"])]);
    assert_eq!(resolve(&next, "fs/write"), "fs/write");
    assert!(next.resolve("fs/read").is_err());
    assert_eq!(resolve(&next, "git/search"), "git/search");
    assert_eq!(world().without(&SourceId::local()).len(), 5);
}

#[test]
fn a_rediscovered_tool_replaces_the_first() {
    let discovery = found("local", SourceKind::Folder, &["a", "b", "a"]);
    let names: Vec<_> = discovery.tools.iter().map(|tool| tool.id.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

///
#[test]
fn an_overlay_has_lowest_precedence_and_leaves_the_snapshot_unchanged() {
    let world = world();
    // Whatever kind they claim.
    let mine = vec![
        found("mine", SourceKind::Code, &["log", "own"]),
        found("more", SourceKind::Request, &["own"]),
    ];
    let (over, problems) = world.overlay(mine);
    assert_eq!(resolve(&over, "log"), "local/log");
    assert_eq!(resolve(&over, "mine/log"), "mine/log");
    assert_eq!(resolve(&over, "own"), "mine/own", "the first source of the request wins");
    assert_eq!(resolve(&over, "fs/read"), "fs/read");
    assert_eq!((over.len(), problems.len()), (world.len() + 3, 1));
    assert!(world.resolve("own").is_err());
    for (at, tool) in over.tools().enumerate() {
        assert_eq!(over.tool(&tool.id).unwrap().at, at, "{}", tool.id);
    }
}

#[test]
fn next_of_name_returns_the_tool_of_the_next_source() {
    let (over, _) = world().overlay(vec![found("mine", SourceKind::Request, &["log", "search"])]);
    let next = |id: &str| {
        let id = &over.resolve(id).unwrap().id;
        over.next_of_name(id).map(|next_of_name| {
            next_of_name.map(|value| value.id.to_string()).map_err(|_| "ambiguous")
        })
    };
    assert_eq!(next("local/log"), Some(Ok("git/log".to_owned())));
    assert_eq!(next("git/log"), Some(Ok("mine/log".to_owned())));
    assert_eq!(next("mine/log"), None);
    assert_eq!(next("fs/search"), Some(Ok("git/search".to_owned())));
}

#[test]
fn rediscovered_identical_tools_are_the_same() {
    let again = |names: &[&str]| world().merge(vec![found("git", SourceKind::Mcp, names)]).0;
    assert!(again(&["search", "log"]).is_same_as(&world()));
    assert!(again(&["log", "search"]).is_same_as(&world()));
    assert!(!again(&["log"]).is_same_as(&world()));
    assert!(!world().is_same_as(&again(&["log"])));
    assert!(!again(&["log", "find"]).is_same_as(&world()));
    let mut discovery = found("git", SourceKind::Mcp, &["search", "log"]);
    let changed = Arc::make_mut(&mut discovery.tools[0]);
    changed.provenance.stale = true;
    assert!(
        world().merge(vec![discovery.clone()]).0.is_same_as(&world()),
        "a stale tool is the same tool"
    );
    Arc::make_mut(&mut discovery.tools[0]).description = Some("Another".to_owned());
    assert!(!world().merge(vec![discovery]).0.is_same_as(&world()));
}

#[test]
fn every_form_of_a_name_resolves() {
    let world = world();
    for text in ["fs/read", "fs:read", "fs__read", "mcp:read", "mcp/read", "read"] {
        assert_eq!(resolve(&world, text), "fs/read", "{text}");
    }
    assert_eq!(resolve(&world, "svc__send"), "fs/svc__send");
}

#[test]
fn a_bare_name_resolves_by_precedence_with_a_shadowing_diagnostic() {
    assert_eq!(resolve(&world(), "log"), "local/log");
    assert_eq!(resolve(&world(), "mcp:log"), "git/log");
    let (_, problems) = Snapshot::default().merge(vec![
        found("git", SourceKind::Mcp, &["log"]),
        found("local", SourceKind::Folder, &["log"]),
    ]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].kind, DiagnosticKind::Shadowed);
}

#[test]
fn an_ambiguous_bare_name_is_an_error_with_all_candidates() {
    assert_eq!(resolve(&world(), "search"), "Ambiguous { candidates: [fs/search, git/search] }");
    assert_eq!(
        resolve(&world(), "mcp:search"),
        "Ambiguous { candidates: [fs/search, git/search] }"
    );
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    assert_eq!(resolve(&world(), "fetch-dat"), "Unknown { nearest: [local/fetch-data] }");
    assert_eq!(world().resolve("zzz").unwrap_err(), Unresolved::Unknown { nearest: vec![] });
}
