//! A written value is visible to the next reader.

use super::open;
use toolscout_core::{Namespace, Store};

#[test]
fn written_values_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    assert_eq!(store.read(Namespace::Scan, "a").unwrap(), None);
    store.write(Namespace::Scan, "a", b"one").unwrap();
    store.write(Namespace::Scan, "a", b"\0two\xff").unwrap();
    assert_eq!(store.read(Namespace::Scan, "a").unwrap().as_deref(), Some(&b"\0two\xff"[..]));
}

#[test]
fn namespaces_are_separate() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(Namespace::Scan, "a", b"scan").unwrap();
    store.write(Namespace::Discovery, "a", b"trust").unwrap();
    assert!(store.remove(Namespace::Scan, "a").unwrap());
    assert_eq!(store.read(Namespace::Scan, "a").unwrap(), None);
    assert_eq!(store.read(Namespace::Discovery, "a").unwrap().as_deref(), Some(&b"trust"[..]));
}

#[test]
fn remove_returns_whether_there_was_a_value() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(Namespace::Probe, "a", b"").unwrap();
    assert_eq!(store.read(Namespace::Probe, "a").unwrap().as_deref(), Some(&b""[..]));
    assert!(store.remove(Namespace::Probe, "a").unwrap());
    assert!(!store.remove(Namespace::Probe, "a").unwrap());
}

#[test]
fn keys_are_sorted_by_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for key in ["b", "a", "ä", "B", "", "a/b"] {
        store.write(Namespace::Discovery, key, b"yes").unwrap();
    }
    store.write(Namespace::Scan, "other", b"").unwrap();
    assert_eq!(store.keys(Namespace::Discovery).unwrap(), ["", "B", "a", "a/b", "b", "ä"]);
}

#[test]
fn values_survive_closing_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let nested = dir.path().join("not/yet/there");
    open(&nested).write(Namespace::Discovery, "folder", b"yes").unwrap();
    let store = open(&nested);
    assert_eq!(store.read(Namespace::Discovery, "folder").unwrap().as_deref(), Some(&b"yes"[..]));
    assert_eq!(store.recovered(), None);
}

#[cfg(unix)]
#[test]
fn files_are_accessible_to_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let store = open(&state);
    store.write(Namespace::Discovery, "folder", b"yes").unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    for file in std::fs::read_dir(&state).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[cfg(unix)]
#[test]
fn an_existing_folder_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    open(dir.path()).write(Namespace::Discovery, "folder", b"yes").unwrap();
    assert_eq!(dir.path().metadata().unwrap().permissions().mode() & 0o777, 0o755);
}
