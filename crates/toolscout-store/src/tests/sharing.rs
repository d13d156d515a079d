//! Several threads and processes use one file at the same time.

use super::{CHILD, again, myself, open};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use toolscout_core::{Namespace, Store};

const WRITES: usize = 500;

/// Writes its own keys, and reads each back.
fn work(dir: &Path, who: &str) {
    let store = open(dir);
    for at in 0..WRITES {
        let key = format!("{who}-{at}");
        store.write(Namespace::Scan, &key, key.as_bytes()).unwrap();
        store.write(Namespace::Scan, "shared", key.as_bytes()).unwrap();
        assert_eq!(store.read(Namespace::Scan, &key).unwrap().as_deref(), Some(key.as_bytes()));
        assert!(
            store
                .read(Namespace::Scan, "shared")
                .unwrap()
                .is_some_and(|store| store.contains(&b'-'))
        );
    }
}

#[test]
fn two_processes_lose_nothing() {
    if let Some(dir) = std::env::var_os(CHILD) {
        return work(Path::new(&dir), &std::process::id().to_string());
    }
    let dir = tempfile::tempdir().unwrap();
    let start = || {
        again(&myself(), "tests::sharing::two_processes_lose_nothing", dir.path()).spawn().unwrap()
    };
    // Neither finds a file, so they also race to create it.
    let children = [start(), start()];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(open(dir.path()).keys(Namespace::Scan).unwrap().len(), 2 * WRITES + 1);
}

#[test]
fn two_connections_in_two_threads_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for who in ["left", "right"] {
            let dir = dir.path();
            scope.spawn(move || work(dir, who));
        }
    });
    assert_eq!(open(dir.path()).keys(Namespace::Scan).unwrap().len(), 2 * WRITES + 1);
}

#[test]
fn concurrent_opens_create_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let set_aside = open_together(dir.path());
    assert_eq!(set_aside, [] as [PathBuf; 0]);
    assert_eq!(open(dir.path()).keys(Namespace::Scan).unwrap().len(), 8);
}

#[test]
fn one_store_serves_many_threads() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    std::thread::scope(|scope| {
        for who in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for at in 0..50 {
                    store.write(Namespace::Probe, &format!("{who}-{at}"), b"x").unwrap();
                }
            });
        }
    });
    assert_eq!(store.keys(Namespace::Probe).unwrap().len(), 400);
}

#[test]
fn a_damaged_file_is_set_aside_once_by_concurrent_opens() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("state.db"), "not a database, by any means").unwrap();
    let set_aside = open_together(dir.path());
    assert_eq!(set_aside, [dir.path().join("state.db.broken-1")]);
    assert_eq!(open(dir.path()).keys(Namespace::Scan).unwrap().len(), 8);
}

/// Eight threads open the store at the same moment and write a key each; returns the files they set
/// aside.
fn open_together(dir: &Path) -> Vec<PathBuf> {
    let together = Barrier::new(8);
    let work = |at: usize| {
        together.wait();
        let store = open(dir);
        store.write(Namespace::Scan, &at.to_string(), b"x").unwrap();
        store.recovered()
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || work(at))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    })
}

/// The revision changes with every write of every writer, so that readers read again.
#[test]
fn the_revision_changes_with_every_write() {
    let dir = tempfile::tempdir().unwrap();
    let (store, other) = (open(dir.path()), open(dir.path()));
    let revision = || store.revision(Namespace::Scan).unwrap();
    let first = revision();
    store.read(Namespace::Scan, "a").unwrap();
    assert_eq!(revision(), first);
    store.write(Namespace::Scan, "a", b"1").unwrap();
    let second = revision();
    assert_ne!(second, first);
    other.write(Namespace::Scan, "a", b"2").unwrap();
    let third = revision();
    assert!(third != second && third != first);
    assert_eq!(revision(), third);
    std::fs::remove_file(dir.path().join("state.db")).unwrap();
    assert!(![first, second, third].contains(&revision()));
}
