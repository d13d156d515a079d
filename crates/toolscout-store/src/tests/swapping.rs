//! Several writers swap one value at the same time.

use super::{again, child, myself, open};
use crate::SqliteStore;
use std::path::Path;
use std::thread;
use toolscout_core::{MemoryStore, Namespace, Store};

/// The result of a swap and the value after it; the same for every store.
fn takes_only_what_was_seen(store: &dyn Store, namespace: Namespace) {
    let is =
        |value: Option<&[u8]>| assert_eq!(store.read(namespace, "a").unwrap().as_deref(), value);
    let swap =
        |seen: Option<&[u8]>, next: Option<&[u8]>| store.swap(namespace, "a", seen, next).unwrap();

    assert!(!swap(Some(b"one"), Some(b"two")), "there is no value");
    assert!(!swap(Some(b""), None), "no value differs from an empty one");
    assert!(swap(None, None));
    is(None);
    assert!(swap(None, Some(b"")));
    assert!(!swap(None, Some(b"one")), "an empty value differs from none");
    is(Some(b""));
    assert!(swap(Some(b""), Some(b"one\0\xff")));
    assert!(!swap(Some(b"one"), Some(b"two")));
    assert!(!swap(None, None));
    is(Some(b"one\0\xff"));
    assert!(swap(Some(b"one\0\xff"), Some(b"one\0\xff")), "swapping equal values succeeds");
    assert!(!swap(Some(b"two"), None));
    assert!(swap(Some(b"one\0\xff"), None));
    is(None);
}

#[test]
fn a_swap_succeeds_only_with_the_expected_value() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for namespace in [Namespace::Pending, Namespace::Approval] {
        takes_only_what_was_seen(&store, namespace);
        takes_only_what_was_seen(&MemoryStore::default(), namespace);
    }
}

#[test]
fn a_swap_is_visible_to_other_stores() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (open(dir.path()), open(dir.path()));
    for namespace in [Namespace::Pending, Namespace::Approval] {
        assert!(one.swap(namespace, "a", None, Some(b"one")).unwrap());
        assert!(!two.swap(namespace, "a", None, Some(b"two")).unwrap());
        assert!(two.swap(namespace, "a", Some(b"one"), Some(b"two")).unwrap());
        assert_eq!(one.read(namespace, "a").unwrap().as_deref(), Some(&b"two"[..]));
    }
}

fn count(store: &dyn Store, namespace: Namespace) -> u64 {
    let bytes = store.read(namespace, "count").unwrap();
    bytes.map_or(0, |bytes| String::from_utf8(bytes).unwrap().parse().unwrap())
}

/// Adds one, and retries until its swap succeeds.
fn add(store: &dyn Store, namespace: Namespace) {
    loop {
        let seen = store.read(namespace, "count").unwrap();
        let next =
            seen.as_ref().map_or(0_u64, |value| String::from_utf8_lossy(value).parse().unwrap())
                + 1;
        if store
            .swap(namespace, "count", seen.as_deref(), Some(next.to_string().as_bytes()))
            .unwrap()
        {
            return;
        }
    }
}

/// Eight threads for each of two stores, each of which adds `times` times.
fn sixteen_threads_add(dir: &Path, namespace: Namespace, times: usize) {
    let stores = [open(dir), open(dir)];
    let add_some = |store: &SqliteStore| (0..times).for_each(|_| add(store, namespace));
    thread::scope(|scope| {
        for at in 0..16 {
            let store = &stores[at % 2];
            scope.spawn(move || add_some(store));
        }
    });
}

#[test]
fn counting_in_sixteen_threads_loses_nothing() {
    for (namespace, times) in [(Namespace::Pending, 25), (Namespace::Approval, 5)] {
        let dir = tempfile::tempdir().unwrap();
        sixteen_threads_add(dir.path(), namespace, times);
        assert_eq!(count(&open(dir.path()), namespace), 16 * times as u64);
    }
}

#[test]
fn counting_in_four_processes_loses_nothing() {
    let both = [(Namespace::Pending, 50), (Namespace::Approval, 5)];
    if let Some(dir) = child() {
        let store = open(&dir);
        return both
            .iter()
            .for_each(|(namespace, times)| (0..*times).for_each(|_| add(&store, *namespace)));
    }
    let dir = tempfile::tempdir().unwrap();
    let start = |_| {
        again(&myself(), "tests::swapping::counting_in_four_processes_loses_nothing", dir.path())
            .spawn()
    };
    for child in [0; 4].map(start) {
        assert!(child.unwrap().wait().unwrap().success());
    }
    let store = open(dir.path());
    assert_eq!(
        both.map(|(namespace, _)| count(&store, namespace)),
        both.map(|(_, times)| 4 * times)
    );
}
