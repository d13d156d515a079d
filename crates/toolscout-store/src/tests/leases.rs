//! A lease has one holder and ends with it.

use super::{again, child, myself, open};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Barrier;
use std::thread;
use toolscout_core::{MemoryStore, Store};

fn one_at_a_time(one: &dyn Store, two: &dyn Store) {
    let taken = || (one.is_leased("a").unwrap(), two.is_leased("a").unwrap());
    assert_eq!(taken(), (false, false));
    let lease = one.lease("a").unwrap().expect("the lease is free");
    assert_eq!(taken(), (true, true));
    assert!(one.lease("a").unwrap().is_none());
    assert!(two.lease("a").unwrap().is_none());
    assert!(two.lease("b").unwrap().is_some(), "another lease is free");
    drop(lease);
    assert_eq!(taken(), (false, false));
    assert!(two.lease("a").unwrap().is_some());
    assert!(!one.is_leased("b").unwrap(), "the lease is released");
}

#[test]
fn a_lease_has_one_holder_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    one_at_a_time(&open(dir.path()), &open(dir.path()));
    let memory = MemoryStore::default();
    one_at_a_time(&memory, &memory);
}

#[test]
fn a_lease_name_may_be_any_text() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let names = ["", "../../etc/passwd", "a/b", "a\0b", "ü", &"x".repeat(10_000)];
    let lease = names.map(|name| store.lease(name).unwrap().expect("the lease is free"));
    assert_eq!(std::fs::read_dir(dir.path().join("leases")).unwrap().count(), names.len());
    assert_eq!(names.map(|name| store.is_leased(name).unwrap()), [true; 6]);
    drop(lease);
    assert_eq!(names.map(|name| store.is_leased(name).unwrap()), [false; 6]);
}

#[test]
fn one_of_many_takes_the_lease_while_others_check_it() {
    let dir = tempfile::tempdir().unwrap();
    let (all, done) = (Barrier::new(16), Barrier::new(16));
    let want = |_| {
        let store = open(dir.path());
        all.wait();
        let lease = store.lease("a").unwrap();
        done.wait();
        lease.is_some()
    };
    let look = |_| {
        let store = open(dir.path());
        all.wait();
        for _ in 0..100 {
            store.is_leased("a").unwrap();
        }
        done.wait();
        false
    };
    let winners = thread::scope(|scope| {
        let wanting = [0; 8].map(|value| scope.spawn(move || want(value)));
        let looking = [0; 8].map(|value| scope.spawn(move || look(value)));
        wanting
            .into_iter()
            .chain(looking)
            .filter_map(|wanting| wanting.join().unwrap().then_some(()))
            .count()
    });
    assert_eq!(winners, 1);
    assert!(!open(dir.path()).is_leased("a").unwrap());
}

/// In the child: takes the lease, reports it, and holds it until the parent closes the pipe.
fn take_and_wait(dir: &Path) {
    let _lease = open(dir).lease("a").unwrap().expect("the lease is free");
    std::io::stdout().write_all(b"\ntaken\n").unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// A child that holds the lease.
fn owner(dir: &Path, test: &str) -> Child {
    let mut command = again(&myself(), test, dir);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.as_mut().unwrap())
        .lines()
        .map_while(Result::ok)
        .find(|line| line == "taken");
    assert_eq!(output.as_deref(), Some("taken"));
    child
}

#[test]
fn a_lease_ends_when_its_process_is_killed() {
    if let Some(dir) = child() {
        return take_and_wait(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut child = owner(dir.path(), "tests::leases::a_lease_ends_when_its_process_is_killed");
    assert!(store.is_leased("a").unwrap());
    assert!(store.lease("a").unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!store.is_leased("a").unwrap());
    assert!(store.lease("a").unwrap().is_some());
}

/// A child of the holder does not keep the lease alive.
#[cfg(unix)]
#[test]
fn a_lease_is_not_inherited_by_children() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let lease = store.lease("a").unwrap().expect("the lease is free");
    let mut child = std::process::Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    drop(lease);
    assert!(!store.is_leased("a").unwrap());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn lease_files_are_accessible_to_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    drop(open(&state).lease("a").unwrap());
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let leases = state.join("leases");
    assert_eq!(mode(&leases), 0o700);
    let file = std::fs::read_dir(&leases).unwrap().next().unwrap().unwrap();
    assert_eq!(mode(&file.path()), 0o600);
}

#[cfg(unix)]
#[test]
fn a_lease_that_cannot_be_checked_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    std::fs::write(dir.path().join("leases"), "not a folder").unwrap();
    let error = store.lease("a").unwrap_err();
    assert!(error.to_string().starts_with("cannot take the lease `"), "{error}");
    let error = store.is_leased("a").unwrap_err();
    assert!(error.to_string().starts_with("cannot check the lease `"), "{error}");
}
