//! Discovery records:
//!
//! 1. a private record is visible to its user only;
//! 2. an unreadable record counts as absent;
//! 3. tools become stale by time, failure and configuration, even if the clock jumps;
//! 4. checked definitions are used without parsing, with the same tools as parsed ones; modified
//!    definitions are parsed again.

use super::*;
use crate::client::ToolDefinition;
use toolscout_core::MemoryStore;

const YEAR: u64 = 365 * 86_400 * 1_000;

fn id(name: &str) -> SourceId {
    SourceId::new(name).expect("an id")
}

fn records() -> DiscoveryRecords {
    DiscoveryRecords::new(Arc::new(MemoryStore::default()), "project")
}

fn record(name: &str, private: bool) -> DiscoveryRecord {
    let definition = format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}");
    let tools = KnownTools {
        listed: Moment(50 * YEAR),
        configuration: "as it was".to_owned(),
        definitions: vec![RawJson::parse(&definition).expect("JSON")],
        excluded: Vec::new(),
        ttl_ms: None,
        private,
        era: ProtocolEra::Modern { version: "2026-07-28".to_owned() },
        vanished: None,
        unknown: UnknownFields::default(),
    };
    DiscoveryRecord {
        status: DiscoveryStatus::Success,
        tools: Some(tools),
        ..DiscoveryRecord::default()
    }
}

fn first(record: &DiscoveryRecord) -> Option<&str> {
    record.tools.as_ref().map(|tools| tools.definitions[0].as_str())
}

/// Each user has a separate record if the server declares its tools as private.
#[test]
fn private_tools_are_visible_to_their_user_only() {
    let records = records();
    let server = id("mail");
    for user in ["ana", "bo"] {
        records.write(&server, Some(user), &record(user, true)).expect("the record is written");
    }
    let seen = |user| first(&records.read(&server, user).expect("read")).map(str::to_owned);
    assert!(seen(Some("ana")).expect("ana's record").contains("ana"));
    assert!(seen(Some("bo")).expect("bo's record").contains("bo"));
    assert_eq!((seen(Some("cy")), seen(None)), (None, None));
}

/// Records of toolscout versions without libraries.
#[test]
fn a_record_without_a_library_can_be_read() {
    let store = Arc::new(MemoryStore::default());
    let records = DiscoveryRecords::new(store.clone(), "project");
    records.write(&id("mail"), None, &record("old", false)).expect("the record is written");
    let written =
        store.read(Namespace::Discovery, "project/mail").expect("read").expect("the record exists");
    assert!(!String::from_utf8_lossy(&written).contains("library"));
    let read = records.read(&id("mail"), None).expect("read");
    assert!(first(&read).is_some() && read.library.is_none());
}

/// T32: a library may be private even if the tools are not.
#[test]
fn a_private_library_is_visible_to_its_user_only() {
    let records = records();
    let library = KnownLibrary { private: true, ..KnownLibrary::default() };
    records
        .write(
            &id("mail"),
            Some("ana"),
            &DiscoveryRecord { library: Some(library), ..record("t", false) },
        )
        .expect("the record is written");
    let has = |user| records.read(&id("mail"), user).expect("read").library.is_some();
    assert_eq!((has(Some("ana")), has(Some("bo")), has(None)), (true, false, false));
}

#[test]
fn public_tools_are_visible_to_all() {
    let records = records();
    records.write(&id("mail"), Some("ana"), &record("open", false)).expect("the record is written");
    for user in [Some("ana"), Some("bo"), None] {
        assert!(first(&records.read(&id("mail"), user).expect("read")).is_some());
    }
}

#[test]
fn removing_a_server_removes_its_records_for_all_users_only() {
    let records = records();
    records.write(&id("mail"), None, &record("a", false)).expect("the record is written");
    records.write(&id("mail"), Some("ana"), &record("b", true)).expect("the record is written");
    records.write(&id("mail2"), None, &record("c", false)).expect("the record is written");
    assert_eq!(records.remove(&id("mail")).expect("removed"), 2);
    assert_eq!(records.servers().expect("listed"), [id("mail2")]);
}

#[test]
fn an_unreadable_record_counts_as_absent() {
    let records = records();
    for bytes in [&b"not JSON"[..], br#"{"version":999,"status":"success"}"#, b"\xff\xfe"] {
        records
            .store
            .write(Namespace::Discovery, "project/mail", bytes)
            .expect("the record is written");
        assert_eq!(records.read(&id("mail"), None).expect("read"), DiscoveryRecord::default());
    }
}

/// T12: a clock that jumps by ten years makes tools stale or keeps them fresh, but breaks nothing.
#[test]
fn tools_grow_stale_whatever_the_clock_does() {
    let fresh = record("a", false);
    let at = |moment: u64| fresh.staleness("as it was", Moment(moment));
    let listed = 50 * YEAR;
    assert_eq!(
        (at(listed), at(listed + 300_000), at(listed + 300_001)),
        (None, None, Some(Staleness::Old))
    );
    assert_eq!(
        (at(listed + 10 * YEAR), at(listed - 10 * YEAR), at(u64::MAX)),
        (Some(Staleness::Old), None, Some(Staleness::Old))
    );
    assert_eq!(fresh.staleness("otherwise", Moment(listed)), Some(Staleness::Reconfigured));
    let failed = DiscoveryRecord { status: DiscoveryStatus::Failed, ..fresh.clone() };
    assert_eq!(failed.staleness("as it was", Moment(listed)), Some(Staleness::Failed));
}

fn definitions() -> Vec<RawJson> {
    let texts = [
        r#"{"name":"plain","description":"Adds","inputSchema":{"type":"object"}}"#,
        r#"{ "inputSchema" : {"type":"object","properties":{"ü":{}}} , "name":"sp\u00e4t", "title":"L\u00e4\"ter", "description":"a\nb" }"#,
        r#"{"name":"rich","inputSchema":{},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"a":[1]},"icons":[]}"#,
        r#"{"name":"odd","title":7,"description":null,"outputSchema":"no","annotations":[],"inputSchema":{"type":"object"}}"#,
    ];
    texts.map(|text| RawJson::parse(text).expect("JSON")).to_vec()
}

/// A store with a record that was written with the key, marked or not.
fn kept(is_marked: bool) -> (Arc<MemoryStore>, DiscoveryRecords) {
    let store = Arc::new(MemoryStore::default());
    let records = DiscoveryRecords::new(store.clone(), "project").marked_with([3; 32]);
    let mut record = record("a", false);
    let definitions = definitions();
    record.checked = is_marked.then(|| records.mark(&definitions));
    record.tools.as_mut().expect("tools").definitions = definitions;
    records.write(&id("mail"), None, &record).expect("the record is written");
    (store, records)
}

#[test]
fn marked_definitions_give_the_same_tools_as_parsed_ones() {
    let read = kept(true).1.read(&id("mail"), None).expect("read");
    let tools: Vec<_> =
        read.packed.as_ref().expect("the mark is valid").tools(&id("mail")).collect();
    let limits = crate::limits::Limits::default();
    let parsed = definitions().into_iter().map(|definition| {
        ToolDefinition::parse(definition, &limits).expect("a tool").tool(&id("mail"))
    });
    assert_eq!(tools, parsed.collect::<Vec<_>>());
    assert_eq!(read.tools.expect("tools").definitions, definitions());
    let unmarked = kept(false).1.read(&id("mail"), None).expect("read");
    assert!(unmarked.packed.is_none());
    assert_eq!(unmarked.tools.expect("tools").definitions, definitions());
}

/// After a change of any single byte, the record is as written, is parsed and checked again, or is
/// absent.
#[test]
fn no_changed_byte_is_taken_for_checked() {
    let (store, records) = kept(true);
    let whole =
        store.read(Namespace::Discovery, "project/mail").expect("read").expect("the record exists");
    let head = whole.windows(9).position(|window| window == br#"{"name":""#).expect("definitions");
    for at in head..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        store.write(Namespace::Discovery, "project/mail", &bytes).expect("the record is written");
        assert!(records.read(&id("mail"), None).expect("read").packed.is_none(), "byte {at}");
    }
    let other = DiscoveryRecords::new(store.clone(), "project").marked_with([4; 32]);
    store.write(Namespace::Discovery, "project/mail", &whole).expect("the record is written");
    assert!(
        other.read(&id("mail"), None).expect("read").packed.is_none(),
        "the mark was made with another key"
    );
    assert!(records.read(&id("mail"), None).expect("read").packed.is_some());
}

/// The time to live that the server names takes precedence; a missing one is not zero.
#[test]
fn a_servers_own_time_wins() {
    let mut record = record("a", false);
    record.tools.as_mut().expect("tools").ttl_ms = Some(10);
    let at = |moment: u64| record.staleness("as it was", Moment(50 * YEAR + moment));
    assert_eq!((at(10), at(11)), (None, Some(Staleness::Old)));
}
