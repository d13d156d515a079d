//! A written entry can be read again, with the same meaning.

use super::*;
use serde_json::json;

#[test]
fn a_written_entry_reads_back_unchanged() {
    let value = json!({
        "command": "npx", "args": ["a"], "env": {"A": "b"}, "cwd": "x", "url": "https://x", "type": "sse",
        "headers": {"H": "v"}, "bearer": "env:T", "client_id": "c", "client_secret": "env:S", "grant": "client_credentials", "scopes": ["s"], "enabled": false,
        "tools": {"t": "ask"}, "visibility": "listed", "filter": {"include": ["i"], "exclude": ["e"]},
        "trust": false, "on_change": "accept", "protocol": "2025-06-18", "discovery_timeout_ms": 1, "call_timeout_ms": 2, "idle_timeout_ms": 3,
        "sandbox": "strict", "allow_read": ["~/docs"], "allow_write": ["out"], "network": "443,5432"
    });
    let read = ServerEntry::read(value.clone()).expect("an entry");
    assert_eq!(read.unknown, []);
    assert_eq!(serde_json::to_value(&read.value).expect("written"), value);
    assert_eq!(
        serde_json::from_value::<ServerEntry>(value).expect("the written entry is valid"),
        read.value
    );
}

#[test]
fn a_list_of_tools_becomes_an_include_filter() {
    let read = ServerEntry::read(json!({"command": "x", "tools": ["a", "b"]})).expect("an entry");
    assert_eq!(
        read.value.filter.and_then(|filter| filter.include),
        Some(vec!["a".to_owned(), "b".to_owned()])
    );
}

#[test]
fn enabled_and_disabled_both_disable_a_server() {
    let enabled = |value| ServerEntry::read(value).expect("an entry").value.enabled;
    assert_eq!(enabled(json!({})), None);
    assert_eq!(enabled(json!({"disabled": false})), Some(true));
    assert_eq!(enabled(json!({"disabled": true})), Some(false));
    assert_eq!(enabled(json!({"enabled": true, "disabled": true})), Some(false));
    assert_eq!(enabled(json!({"enabled": false, "disabled": false})), Some(false));
}
