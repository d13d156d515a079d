//! 1. Every client accepts the names, and no two tools have the same.
//! 2. A name leads back to its tool and is never given to another, even if tools are added and
//!    removed, in this process or another.
//! 3. A listed tool of an application keeps its name; the names of the meta tools are reserved.
//! 4. Tools of one request are named like all others, but their names are not stored.

use super::{Names, Remembered, safe};
use crate::mcp::meta::fixture::{gateway, id, snapshot};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use toolscout_core::{MemoryStore, Namespace, Store, StoreError};

fn named(lines: &str, remembered: &Remembered) -> String {
    let snapshot = snapshot(lines);
    let names = Names::of(&snapshot, remembered);
    let mut told: Vec<_> =
        snapshot.tools().map(|it| format!("{} = {}", it.id, names.wire(&it.id))).collect();
    told.sort();
    told.join("\n")
}

/// F-01: two upstreams with a tool of the same name.
#[test]
fn the_same_name_of_two_sources_is_two_names() {
    let names = named("a/search -- x\nb/search -- x", &Remembered::in_memory());
    assert_eq!(names, "a/search = a__search\nb/search = b__search");
}

#[test]
fn what_some_client_does_not_take_becomes_an_underscore_and_is_cut() {
    let long = format!("my-server/{}", "long_name_".repeat(8));
    let names = named(&format!("{long} -- x\ns/a.b c/ü -- x"), &Remembered::in_memory());
    let wire: Vec<_> = names.lines().map(|it| it.split(" = ").nth(1).unwrap()).collect();
    assert_eq!(wire, ["my_server__long_name_long_name_long_name_long_na", "s__a_b_c__"]);
}

#[test]
fn names_that_become_the_same_are_numbered_in_the_order_of_source_and_name() {
    let lines = "b/x.y -- x\na/x-y -- x\na/x.y -- x\na/x_y -- x";
    let expected = "a/x-y = a__x_y\na/x.y = a__x_y_2\na/x_y = a__x_y_3\nb/x.y = b__x_y";
    assert_eq!(named(lines, &Remembered::in_memory()), expected);
}

#[test]
fn what_an_application_lists_keeps_its_name_and_nobody_has_ours() {
    let lines = "*app/help -- x\n*app/tool_search -- x\n*app/fetch-data -- x\napp/hidden -- x\n*fs/execute_tool -- x\ntoolscout/read_result -- x";
    let expected = "app/fetch-data = fetch-data\napp/help = help\napp/hidden = app__hidden\n\
        app/tool_search = app__tool_search\nfs/execute_tool = fs__execute_tool\n\
        toolscout/read_result = toolscout__read_result_2";
    assert_eq!(named(lines, &Remembered::in_memory()), expected);
}

#[test]
fn a_name_once_given_is_never_given_to_another_tool() {
    let remembered = Remembered::in_memory();
    assert_eq!(named("a/x-y -- x", &remembered), "a/x-y = a__x_y");
    assert_eq!(named("a/x.y -- x", &remembered), "a/x.y = a__x_y_2");
    assert_eq!(named("a/x-y -- x\na/x.y -- x", &remembered), "a/x-y = a__x_y\na/x.y = a__x_y_2");
    let names = Names::of(&snapshot("b/z -- x"), &remembered);
    assert_eq!(names.tool("a__x_y"), None, "its tool is gone");
}

#[test]
fn a_tool_that_becomes_listed_is_found_by_its_old_name_too() {
    let remembered = Remembered::in_memory();
    named("app/help -- x", &remembered);
    let names = Names::of(&snapshot("*app/help -- x"), &remembered);
    assert_eq!(names.wire(&id("app/help")), "help");
    assert_eq!(
        (names.tool("help"), names.tool("app__help")),
        (Some(&id("app/help")), Some(&id("app/help")))
    );
}

#[test]
fn another_process_gives_the_same_names_and_takes_none() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let kept = |project: &str| Remembered::kept(store.clone(), project);
    assert_eq!(named("a/x.y -- x", &kept("one")), "a/x.y = a__x_y");
    assert_eq!(named("a/x-y -- x", &kept("one")), "a/x-y = a__x_y_2");
    assert_eq!(
        named("a/x-y -- x", &kept("two")),
        "a/x-y = a__x_y",
        "another project is another matter"
    );
    store.write(Namespace::Name, "one", b"not ours").unwrap();
    assert_eq!(
        named("a/x-y -- x", &kept("one")),
        "a/x-y = a__x_y",
        "what cannot be read is not there"
    );
}

#[test]
fn two_processes_that_name_at_once_do_not_give_one_name_twice() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut owners: HashMap<String, String> = HashMap::new();
    let processes: Vec<_> = (0..8)
        .map(|at| {
            let remembered = Remembered::kept(store.clone(), "project");
            std::thread::spawn(move || {
                named(
                    &format!("a/x{}y -- x", ['-', '.', '+', '~', '=', '@', '%', '&'][at]),
                    &remembered,
                )
            })
        })
        .collect();
    for process in processes {
        let told = process.join().unwrap();
        let (tool, wire) = told.split_once(" = ").unwrap();
        assert_eq!(owners.insert(wire.to_owned(), tool.to_owned()), None, "{wire}");
    }
    assert_eq!(owners.len(), 8);
}

#[test]
fn a_store_that_fails_costs_nobody_a_name() {
    let remembered = Remembered::kept(Arc::new(Broken), "project");
    assert_eq!(named("a/x.y -- x", &remembered), "a/x.y = a__x_y");
    assert_eq!(
        named("a/x-y -- x", &remembered),
        "a/x-y = a__x_y_2",
        "and it is remembered while we live"
    );
}

#[test]
fn what_is_of_one_request_takes_no_name_from_others_and_is_not_remembered() {
    let remembered = Remembered::in_memory();
    let both = "mine/x-y -- x\nmine_x/y -- x";
    assert_eq!(named("mine/z -- x", &remembered), "mine/z = mine__z");
    assert_eq!(named(both, &remembered), "mine/x-y = mine__x_y\nmine_x/y = mine_x__y");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    named("mine/secret -- x\nfs/read -- x", &Remembered::kept(store.clone(), "project"));
    let kept = String::from_utf8(store.read(Namespace::Name, "project").unwrap().unwrap()).unwrap();
    assert!(kept.contains("fs__read") && !kept.contains("secret"), "{kept}");
}

#[test]
fn what_everybody_has_is_named_once_for_all_requests() {
    let remembered = Remembered::in_memory();
    let gateway = gateway("fs/read -- x\nmine/own -- x");
    let (one, other) =
        (Names::of(&gateway.snapshot(), &remembered), Names::of(&gateway.snapshot(), &remembered));
    assert!(Arc::ptr_eq(one.beneath.as_ref().unwrap(), other.beneath.as_ref().unwrap()));
    assert_eq!((one.wire(&id("fs/read")), one.wire(&id("mine/own"))), ("fs__read", "mine__own"));
    assert_eq!(one.tool("mine__own"), Some(&id("mine/own")));
}

/// A server with thousands of tools that map to the same name must not make naming slow.
#[test]
fn ten_thousand_tools_of_one_name_are_numbered() {
    let prefix = "same_".repeat(10);
    let lines: Vec<_> = (0..10_000).map(|it| format!("s/{prefix}{it} -- x")).collect();
    let snapshot = snapshot(&lines.join("\n"));
    let names = Names::of(&snapshot, &Remembered::in_memory());
    let all: BTreeSet<_> = snapshot.tools().map(|it| names.wire(&it.id)).collect();
    assert_eq!(all.len(), 10_000);
}

#[test]
fn a_source_that_never_stops_renaming_is_forgotten_before_it_fills_the_store() {
    let remembered = Remembered::in_memory();
    for round in 0..3 {
        let lines: Vec<_> = (0..9_000).map(|it| format!("s/t{round}_{it} -- x")).collect();
        Names::of(&snapshot(&lines.join("\n")), &remembered);
    }
    assert!(remembered.len() <= 20_000, "{}", remembered.len());
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
            name.replace(|it: char| it.is_whitespace() || it.is_control(), "_")
        )
    });
    prop::collection::btree_set(tool, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// 1 and 2, over tools that are added and removed.
    #[test]
    fn names_are_valid_one_to_one_and_stay(catalogs in prop::collection::vec(catalog(), 1..5)) {
        let remembered = Remembered::in_memory();
        let mut owners = HashMap::new();
        for lines in catalogs {
            let snapshot = snapshot(&lines.into_iter().collect::<Vec<_>>().join("\n"));
            let names = Names::of(&snapshot, &remembered);
            for tool in snapshot.tools() {
                let wire = names.wire(&tool.id);
                let is_own = tool.id.source.as_str() == "app" && safe::is_name(wire);
                prop_assert!(is_own || wire.len() <= safe::LONGEST, "{wire}");
                prop_assert!(is_own || wire.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'), "{wire}");
                prop_assert!(!crate::mcp::meta::is_ours(wire));
                prop_assert_eq!(names.tool(wire), Some(&tool.id));
                let owner = owners.entry(wire.to_owned()).or_insert_with(|| tool.id.clone());
                prop_assert_eq!(&*owner, &tool.id, "{} was another's", wire);
            }
        }
    }
}
