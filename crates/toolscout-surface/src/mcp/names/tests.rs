//! 1. Every client accepts the names, and no two tools have the same.
//! 2. A name leads back to its tool and is never given to another, even if tools are added and
//!    removed, in this process or another. Only `source__tool` goes to the tool of that name.
//! 3. A listed tool of an application keeps its name; the names of the meta tools are reserved.
//! 4. Tools of one request are named like all others, but their names are not stored.

use super::{Names, WireNameStore, safe};
use crate::mcp::meta::fixture::{gateway, id, snapshot};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use toolscout_core::{MemoryStore, Namespace, Store, StoreError};

fn named(lines: &str, name_store: &WireNameStore) -> String {
    let snapshot = snapshot(lines);
    let names = Names::for_snapshot(&snapshot, name_store);
    let mut lines: Vec<_> =
        snapshot.tools().map(|tool| format!("{} = {}", tool.id, names.wire(&tool.id))).collect();
    lines.sort();
    lines.join("\n")
}

/// F-01: two upstreams with a tool of the same name.
#[test]
fn tools_of_two_sources_get_different_names() {
    let names = named("a/search -- x\nb/search -- x", &WireNameStore::in_memory());
    assert_eq!(names, "a/search = a__search\nb/search = b__search");
}

#[test]
fn unsupported_characters_become_underscores_and_long_names_are_cut() {
    let long = format!("my-server/{}", "long_name_".repeat(8));
    let names = named(&format!("{long} -- x\ns/a.b c/ü -- x"), &WireNameStore::in_memory());
    let wire: Vec<_> = names.lines().map(|line| line.split(" = ").nth(1).unwrap()).collect();
    assert_eq!(wire, ["my_server__long_name_long_name_long_name_long_na", "s__a_b_c__"]);
}

#[test]
fn equal_names_are_numbered_in_the_order_of_source_and_name() {
    let lines = "b/x.y -- x\na/x-y -- x\na/x.y -- x\na/x_y -- x";
    let expected = "a/x-y = a__x_y_2\na/x.y = a__x_y_3\na/x_y = a__x_y\nb/x.y = b__x_y";
    assert_eq!(named(lines, &WireNameStore::in_memory()), expected);
}

/// S7: over MCP, `a_b__c` was the tool of `a-b`; on the command line it was the tool of `a_b`.
#[test]
fn a_converted_name_never_stands_in_for_an_exact_one() {
    for other in ["a-b/c", "a-b/c-d", "a_b/c-d", "a_b/c.d", "a_b/c d", "a_b/c:d", "a_b/c/d"] {
        let exact = other.replace("a-b", "a_b").replace(['-', '.', ' ', ':'], "_");
        let exact = if exact.matches('/').count() > 1 { "a_b/c_d".to_owned() } else { exact };
        let wire = exact.replacen('/', "__", 1);
        let name_store = WireNameStore::in_memory();
        named(&format!("{other} -- x"), &name_store);
        let both = snapshot(&format!("{other} -- x\n{exact} -- x"));
        let names = Names::for_snapshot(&both, &name_store);
        assert_eq!(names.tool(&wire), Some(&id(&exact)), "over MCP, beside {other}");
        assert_eq!(names.wire(&id(&exact)), wire);
        assert_eq!(names.wire(&id(other)), format!("{wire}_2"));
        assert_eq!(name_store.tool(&both, &wire), Some(id(&exact)), "as typed, beside {other}");
        assert_eq!(both.resolve(&wire).map(|tool| &tool.id), Ok(&id(&exact)));
        let model_names = name_store.model_names(&both);
        assert_eq!(*model_names[&id(&exact)], *wire);
    }
}

#[test]
fn listed_application_tools_keep_their_names_and_ours_are_reserved() {
    let lines = "*app/help -- x\n*app/tool_search -- x\n*app/fetch-data -- x\napp/hidden -- x\n*fs/execute_tool -- x\ntoolscout/read_result -- x";
    let expected = "app/fetch-data = fetch-data\napp/help = help\napp/hidden = app__hidden\n\
        app/tool_search = app__tool_search\nfs/execute_tool = fs__execute_tool\n\
        toolscout/read_result = toolscout__read_result_2";
    assert_eq!(named(lines, &WireNameStore::in_memory()), expected);
}

#[test]
fn a_name_once_given_is_never_given_to_another_tool() {
    let name_store = WireNameStore::in_memory();
    assert_eq!(named("a/x-y -- x", &name_store), "a/x-y = a__x_y");
    assert_eq!(named("a/x.y -- x", &name_store), "a/x.y = a__x_y_2");
    assert_eq!(named("a/x-y -- x\na/x.y -- x", &name_store), "a/x-y = a__x_y\na/x.y = a__x_y_2");
    let names = Names::for_snapshot(&snapshot("b/z -- x"), &name_store);
    assert_eq!(names.tool("a__x_y"), None, "the tool was removed");
}

#[test]
fn a_tool_that_becomes_listed_keeps_its_old_name_as_an_alias() {
    let name_store = WireNameStore::in_memory();
    named("app/help -- x", &name_store);
    let names = Names::for_snapshot(&snapshot("*app/help -- x"), &name_store);
    assert_eq!(names.wire(&id("app/help")), "help");
    assert_eq!(
        (names.tool("help"), names.tool("app__help")),
        (Some(&id("app/help")), Some(&id("app/help")))
    );
}

/// M-01a: MCP allows names that model vendors refuse.
#[test]
fn a_name_that_vendors_refuse_gets_a_second_name() {
    let name_store = WireNameStore::in_memory();
    let long = "x".repeat(100);
    let snapshot = snapshot(&format!("*app/help -- x\n*app/a.b -- x\n*app/{long} -- x"));
    let of_model = name_store.model_names(&snapshot);
    let model_name = |tool: &str| &*of_model[&id(tool)];
    assert_eq!((model_name("app/help"), model_name("app/a.b")), ("help", "app__a_b"));
    assert_eq!(model_name(&format!("app/{long}")), &format!("app__{long}")[..48]);
    let names = Names::for_snapshot(&snapshot, &name_store);
    assert_eq!(names.wire(&id("app/a.b")), "a.b");
    for name in ["a.b", "app__a_b"] {
        assert_eq!(names.tool(name), Some(&id("app/a.b")), "{name}");
        assert_eq!(name_store.tool(&snapshot, name), Some(id("app/a.b")), "{name}");
    }
}

#[test]
fn a_wire_name_is_found_even_if_it_could_not_be_stored() {
    let name_store = WireNameStore::in_store(Arc::new(Broken), "project");
    let snapshot = snapshot("a/x.y -- x\na/x-y -- x");
    assert_eq!(name_store.tool(&snapshot, "a__x_y_2"), Some(id("a/x.y")));
    assert_eq!(name_store.tool(&snapshot, "a__z"), None);
}

#[test]
fn processes_of_a_project_share_their_names() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let in_project = |project: &str| WireNameStore::in_store(store.clone(), project);
    assert_eq!(named("a/x.y -- x", &in_project("one")), "a/x.y = a__x_y");
    assert_eq!(named("a/x-y -- x", &in_project("one")), "a/x-y = a__x_y_2");
    assert_eq!(
        named("a/x-y -- x", &in_project("two")),
        "a/x-y = a__x_y",
        "names of another project are separate"
    );
    store.write(Namespace::Name, "one", b"not ours").unwrap();
    assert_eq!(
        named("a/x-y -- x", &in_project("one")),
        "a/x-y = a__x_y",
        "unreadable names count as missing"
    );
}

#[test]
fn concurrent_processes_never_give_one_name_twice() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut owners: HashMap<String, String> = HashMap::new();
    let processes: Vec<_> = (0..8)
        .map(|index| {
            let name_store = WireNameStore::in_store(store.clone(), "project");
            std::thread::spawn(move || {
                named(
                    &format!("a/x{}y -- x", ['-', '.', '+', '~', '=', '@', '%', '&'][index]),
                    &name_store,
                )
            })
        })
        .collect();
    for process in processes {
        let line = process.join().unwrap();
        let (tool, wire) = line.split_once(" = ").unwrap();
        assert_eq!(owners.insert(wire.to_owned(), tool.to_owned()), None, "{wire}");
    }
    assert_eq!(owners.len(), 8);
}

#[test]
fn names_are_given_even_if_the_store_fails() {
    let name_store = WireNameStore::in_store(Arc::new(Broken), "project");
    assert_eq!(named("a/x.y -- x", &name_store), "a/x.y = a__x_y");
    assert_eq!(named("a/x-y -- x", &name_store), "a/x-y = a__x_y_2", "the name is kept in memory");
}

#[test]
fn names_of_request_tools_are_not_stored() {
    let name_store = WireNameStore::in_memory();
    let both = "mine/x-y -- x\nmine_x/y -- x";
    assert_eq!(named("mine/z -- x", &name_store), "mine/z = mine__z");
    assert_eq!(named(both, &name_store), "mine/x-y = mine__x_y\nmine_x/y = mine_x__y");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    named("mine/secret -- x\nfs/read -- x", &WireNameStore::in_store(store.clone(), "project"));
    let stored =
        String::from_utf8(store.read(Namespace::Name, "project").unwrap().unwrap()).unwrap();
    assert!(stored.contains("fs__read") && !stored.contains("secret"), "{stored}");
}

#[test]
fn shared_tools_are_named_once_for_all_requests() {
    let name_store = WireNameStore::in_memory();
    let gateway = gateway("fs/read -- x\nmine/own -- x");
    let (one, other) = (
        Names::for_snapshot(&gateway.snapshot(), &name_store),
        Names::for_snapshot(&gateway.snapshot(), &name_store),
    );
    assert!(Arc::ptr_eq(one.shared_names.as_ref().unwrap(), other.shared_names.as_ref().unwrap()));
    assert_eq!((one.wire(&id("fs/read")), one.wire(&id("mine/own"))), ("fs__read", "mine__own"));
    assert_eq!(one.tool("mine__own"), Some(&id("mine/own")));
}

/// A server with thousands of tools that map to the same name must not make naming slow.
#[test]
fn ten_thousand_tools_of_one_name_are_numbered() {
    let prefix = "same_".repeat(10);
    let lines: Vec<_> = (0..10_000).map(|index| format!("s/{prefix}{index} -- x")).collect();
    let snapshot = snapshot(&lines.join("\n"));
    let names = Names::for_snapshot(&snapshot, &WireNameStore::in_memory());
    let all: BTreeSet<_> = snapshot.tools().map(|tool| names.wire(&tool.id)).collect();
    assert_eq!(all.len(), 10_000);
}

#[test]
fn names_of_a_source_are_dropped_beyond_the_limit() {
    let name_store = WireNameStore::in_memory();
    for round in 0..3 {
        let lines: Vec<_> = (0..9_000).map(|index| format!("s/t{round}_{index} -- x")).collect();
        Names::for_snapshot(&snapshot(&lines.join("\n")), &name_store);
    }
    assert!(name_store.len() <= 20_000, "{}", name_store.len());
}

struct Broken;

impl Store for Broken {
    fn read(&self, _: Namespace, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Err(broken())
    }
    fn write(&self, _: Namespace, _: &str, _: &[u8]) -> Result<(), StoreError> {
        Err(broken())
    }
    fn remove(&self, _: Namespace, _: &str) -> Result<bool, StoreError> {
        Err(broken())
    }
    fn keys(&self, _: Namespace) -> Result<Vec<String>, StoreError> {
        Err(broken())
    }
    fn swap(
        &self,
        _: Namespace,
        _: &str,
        _: Option<&[u8]>,
        _: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        Err(broken())
    }
    fn lease(&self, _: &str) -> Result<Option<toolscout_core::Lease>, StoreError> {
        Err(broken())
    }
    fn is_leased(&self, _: &str) -> Result<bool, StoreError> {
        Err(broken())
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        Err(broken())
    }
}

fn broken() -> StoreError {
    StoreError { what: "no disk".to_owned(), cause: None }
}

fn catalog() -> impl Strategy<Value = BTreeSet<String>> {
    let source = prop_oneof!["[a-c]", "a-b", "a_b", "app", "local"];
    let name =
        prop_oneof!["[a-b_.-]{1,4}", "[a-z]{40,60}", "\\PC{1,5}", Just("tool_search".to_owned())];
    let tool = (any::<bool>(), source, name).prop_map(|(listed, source, name)| {
        let mark = if listed { "*" } else { "" };
        format!(
            "{mark}{source}/{} -- x",
            name.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
        )
    });
    prop::collection::btree_set(tool, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// 1 and 2, over tools that are added and removed.
    #[test]
    fn names_are_valid_one_to_one_and_stay(catalogs in prop::collection::vec(catalog(), 1..5)) {
        let name_store = WireNameStore::in_memory();
        let mut owners = HashMap::new();
        for lines in catalogs {
            let snapshot = snapshot(&lines.into_iter().collect::<Vec<_>>().join("\n"));
            let names = Names::for_snapshot(&snapshot, &name_store);
            for tool in snapshot.tools() {
                let wire = names.wire(&tool.id);
                let is_own = tool.id.source.as_str() == "app" && safe::is_valid_name(wire);
                prop_assert!(is_own || wire.len() <= safe::MAX_LENGTH, "{wire}");
                prop_assert!(is_own || wire.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'), "{wire}");
                prop_assert!(!crate::mcp::meta::is_reserved(wire));
                prop_assert_eq!(names.tool(wire), Some(&tool.id));
                let previous = owners.insert(wire.to_owned(), tool.id.clone());
                let stays = previous.is_none_or(|previous| previous == tool.id);
                prop_assert!(stays || super::is_exact(&tool.id, wire), "{wire} had another owner");
            }
        }
    }
}
