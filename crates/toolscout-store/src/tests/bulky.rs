use super::open;
use std::fs;
use tempfile::tempdir;
use toolscout_core::{Namespace, Store};

#[test]
fn large_values_are_files_that_other_stores_read() {
    let dir = tempdir().unwrap();
    let store = open(dir.path());
    assert_eq!(store.read(Namespace::Index, "p").unwrap(), None);
    for value in [vec![7; 3 << 20], b"less".to_vec()] {
        store.write(Namespace::Index, "p", &value).unwrap();
        assert_eq!(open(dir.path()).read(Namespace::Index, "p").unwrap(), Some(value));
    }
    assert_eq!(fs::read(dir.path().join("index/of-p")).unwrap(), b"less");
    assert!(store.remove(Namespace::Index, "p").unwrap());
    assert!(!store.remove(Namespace::Index, "p").unwrap());
    assert_eq!(store.keys(Namespace::Index).unwrap(), [] as [&str; 0]);
}

#[test]
fn no_key_escapes_the_folder() {
    let dir = tempdir().unwrap();
    let store = open(&dir.path().join("state"));
    let keys = ["../../x", "/etc/x", "A_b", "a b", "", "ü", ".new-x"];
    for key in keys {
        store.write(Namespace::Index, key, key.as_bytes()).unwrap();
    }
    for key in keys {
        assert_eq!(
            store.read(Namespace::Index, key).unwrap().as_deref(),
            Some(key.as_bytes()),
            "{key}"
        );
    }
    let mut stored = store.keys(Namespace::Index).unwrap();
    let mut expected = keys.map(str::to_owned).to_vec();
    stored.sort();
    expected.sort();
    assert_eq!(stored, expected);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn it_is_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempdir().unwrap();
    open(dir.path()).write(Namespace::Index, "p", b"x").unwrap();
    let mode =
        |path: &str| fs::metadata(dir.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("index"), mode("index/of-p")), (0o700, 0o600));
}

#[test]
fn the_number_of_files_is_limited() {
    let dir = tempdir().unwrap();
    let store = open(dir.path());
    for number in 0..80 {
        store.write(Namespace::Index, &format!("p{number}"), b"x").unwrap();
    }
    let keys = store.keys(Namespace::Index).unwrap();
    assert_eq!(keys.len(), 64);
    assert!(keys.contains(&"p79".to_owned()));
}

#[test]
fn one_of_two_concurrent_swaps_succeeds() {
    let dir = tempdir().unwrap();
    let store = open(dir.path());
    assert!(store.swap(Namespace::Index, "p", None, Some(b"a")).unwrap());
    assert!(!store.swap(Namespace::Index, "p", None, Some(b"b")).unwrap());
    assert!(store.swap(Namespace::Index, "p", Some(b"a"), None).unwrap());
    assert_eq!(store.read(Namespace::Index, "p").unwrap(), None);
}
