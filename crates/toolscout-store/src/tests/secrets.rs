//! The secret key of a store.

use super::{again, child, myself, open};
use std::fs;
use std::sync::Barrier;
use std::thread;
use toolscout_core::Store;

#[test]
fn the_key_is_created_once_and_differs_between_stores() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = open(one.path()).key().unwrap();
    assert_eq!(open(one.path()).key().unwrap(), key);
    assert_ne!(open(two.path()).key().unwrap(), key);
    assert_ne!(key, [0; 32]);
}

#[test]
fn concurrent_threads_create_one_key() {
    let dir = tempfile::tempdir().unwrap();
    let together = Barrier::new(16);
    let ask = |_| {
        let store = open(dir.path());
        together.wait();
        store.key().unwrap()
    };
    let ask = &ask;
    let keys = thread::scope(|scope| {
        [0; 16].map(|value| scope.spawn(move || ask(value))).map(|value| value.join().unwrap())
    });
    assert_eq!(keys, [open(dir.path()).key().unwrap(); 16]);
    let left = fs::read_dir(dir.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".key-"));
    assert_eq!(left.count(), 0, "no temporary file remains");
}

#[test]
fn concurrent_processes_create_one_key() {
    if let Some(dir) = child() {
        let store = open(&dir);
        return fs::write(dir.join(format!("said-{}", std::process::id())), store.key().unwrap())
            .unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let start = |_| {
        again(&myself(), "tests::secrets::concurrent_processes_create_one_key", dir.path()).spawn()
    };
    for child in [0; 4].map(start) {
        assert!(child.unwrap().wait().unwrap().success());
    }
    let keys = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let keys: Vec<_> = keys
        .filter(|value| value.to_string_lossy().contains("said-"))
        .map(|value| fs::read(value).unwrap())
        .collect();
    assert_eq!(keys, vec![open(dir.path()).key().unwrap().to_vec(); 4]);
}

#[test]
fn a_key_of_wrong_length_is_an_error_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    for content in [&b""[..], b"short", &[7; 33]] {
        fs::write(&path, content).unwrap();
        let error = open(dir.path()).key().unwrap_err();
        assert_eq!(error.to_string(), format!("cannot use the key file `{}`", path.display()));
        assert!(error.cause.unwrap().to_string().contains("32 bytes"));
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_cannot_be_read_or_created_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    fs::create_dir(&path).unwrap();
    assert!(open(dir.path()).key().is_err());
    fs::remove_dir(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert!(open(dir.path()).key().is_err());
}

#[cfg(unix)]
#[test]
fn it_is_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).key().unwrap();
    assert_eq!(dir.path().join("key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
