//! The secret key of a store.

use super::{again, child, myself, open};
use std::fs;
use std::sync::Barrier;
use std::thread;
use toolscout_core::Store;

#[test]
fn it_is_made_once_and_differs_between_stores() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = open(one.path()).key().unwrap();
    assert_eq!(open(one.path()).key().unwrap(), key);
    assert_ne!(open(two.path()).key().unwrap(), key);
    assert_ne!(key, [0; 32]);
}

#[test]
fn all_who_make_it_at_once_get_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let together = Barrier::new(16);
    let ask = |_| {
        let store = open(dir.path());
        together.wait();
        store.key().unwrap()
    };
    let ask = &ask;
    let keys = thread::scope(|scope| {
        [0; 16].map(|it| scope.spawn(move || ask(it))).map(|it| it.join().unwrap())
    });
    assert_eq!(keys, [open(dir.path()).key().unwrap(); 16]);
    let left = fs::read_dir(dir.path())
        .unwrap()
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().contains(".key-"));
    assert_eq!(left.count(), 0, "nothing half made is left");
}

#[test]
fn processes_that_make_it_at_once_get_the_same() {
    if let Some(dir) = child() {
        let store = open(&dir);
        return fs::write(dir.join(format!("said-{}", std::process::id())), store.key().unwrap())
            .unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let start = |_| {
        again(&myself(), "tests::secrets::processes_that_make_it_at_once_get_the_same", dir.path())
            .spawn()
    };
    for child in [0; 4].map(start) {
        assert!(child.unwrap().wait().unwrap().success());
    }
    let said = fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().path());
    let said: Vec<_> = said
        .filter(|it| it.to_string_lossy().contains("said-"))
        .map(|it| fs::read(it).unwrap())
        .collect();
    assert_eq!(said, vec![open(dir.path()).key().unwrap().to_vec(); 4]);
}

#[test]
fn one_of_another_length_is_an_error_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    for content in [&b""[..], b"short", &[7; 33]] {
        fs::write(&path, content).unwrap();
        let error = open(dir.path()).key().unwrap_err();
        assert_eq!(error.to_string(), format!("cannot use `{}`", path.display()));
        assert!(error.cause.unwrap().to_string().contains("32 bytes"));
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[cfg(unix)]
#[test]
fn one_that_can_be_neither_read_nor_made_is_an_error() {
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
fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).key().unwrap();
    assert_eq!(dir.path().join("key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
