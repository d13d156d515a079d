//! Files that are damaged, too new, or not writable.

use super::{CHILD, again, myself, open};
use crate::SqliteStore;
use std::fs;
use std::path::Path;
use toolscout_core::{Namespace, Store};

#[test]
fn a_damaged_file_is_set_aside_and_recreated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    for number in 1..=2 {
        fs::write(&path, format!("rubbish {number}")).unwrap();
        let store = open(dir.path());
        let aside = dir.path().join(format!("state.db.broken-{number}"));
        assert_eq!(store.recovered().as_ref(), Some(&aside));
        assert_eq!(fs::read_to_string(aside).unwrap(), format!("rubbish {number}"));
        store.write(Namespace::Discovery, "a", b"yes").unwrap();
        assert_eq!(store.keys(Namespace::Discovery).unwrap(), ["a"]);
        drop(store);
        assert_eq!(open(dir.path()).recovered(), None);
    }
}

#[test]
fn damage_in_the_first_page_is_set_aside_at_once() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).write(Namespace::Scan, "7", b"once").unwrap();
    let mut bytes = fs::read(dir.path().join("state.db")).unwrap();
    // The version stays readable, but the tables do not.
    bytes[4096..16_384].fill(0xff);
    fs::write(dir.path().join("state.db"), bytes).unwrap();
    let store = open(dir.path());
    assert_eq!(store.recovered(), Some(dir.path().join("state.db.broken-1")));
    assert_eq!(store.read(Namespace::Scan, "7").unwrap(), None);
}

#[test]
fn damage_found_later_is_set_aside_then() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    let store = open(dir.path());
    for at in 0..200 {
        store.write(Namespace::Scan, &at.to_string(), &[b'x'; 500]).unwrap();
    }
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    // The first page with the file header stays.
    bytes[16_384..].fill(0xff);
    fs::write(&path, bytes).unwrap();

    let store = open(dir.path());
    assert_eq!(store.recovered(), None);
    assert_eq!(store.read(Namespace::Scan, "7").unwrap(), None);
    assert_eq!(store.recovered(), Some(dir.path().join("state.db.broken-1")));
    store.write(Namespace::Scan, "7", b"again").unwrap();
    drop(store);
    assert_eq!(open(dir.path()).keys(Namespace::Scan).unwrap(), ["7"]);
}

#[test]
fn a_newer_file_is_kept_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    drop(open(dir.path()));
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteStore::open(dir.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` was written by a newer toolscout (schema version 99; this version supports up to 1); \
             update toolscout, or point TOOLSCOUT_STATE_DIR at another folder",
            path.display()
        )
    );
    assert!(path.exists());
}

#[test]
fn a_full_disk_stops_writes_but_not_reads() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(Namespace::Scan, "small", b"fits").unwrap();
    store.allow_pages(4);
    let error = store.write(Namespace::Scan, "large", &vec![0; 100_000]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot write to `{}`", dir.path().join("state.db").display())
    );
    assert!(error.cause.unwrap().to_string().contains("full"));
    assert_eq!(store.read(Namespace::Scan, "small").unwrap().as_deref(), Some(&b"fits"[..]));
}

impl SqliteStore {
    /// Simulates a disk that is full after this many pages.
    fn allow_pages(&self, count: u32) {
        let limit = |connection: &rusqlite::Connection| {
            connection.pragma_update_and_check(None, "max_page_count", count, |_| Ok(()))
        };
        self.run(Namespace::Scan, "limit", limit).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a-file");
    fs::write(&file, "").unwrap();
    let error = SqliteStore::open(&file.join("state")).unwrap_err();
    assert!(error.to_string().starts_with("cannot create `"), "{error}");
    assert!(error.to_string().contains("a-file/state/state.db"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_read_only_database_can_be_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    if let Some(dir) = std::env::var_os(CHILD) {
        return reads_and_cannot_write(Path::new(&dir));
    }
    // Characters with a meaning in a URI, because such a folder is opened by URI.
    let outer = tempfile::tempdir().unwrap();
    let dir = outer.path().join("a %41?b#c");
    open(&dir).write(Namespace::Discovery, "folder", b"yes").unwrap();
    let mode =
        |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    mode(outer.path(), 0o755);
    mode(&dir.join("state.db"), 0o444);
    mode(&dir, 0o555);

    // Root can write everywhere, so another user has to try, with a program that it can reach.
    let program = outer.path().join("tests");
    fs::copy(myself(), &program).unwrap();
    let mut child = again(&program, "tests::damage::a_read_only_database_can_be_read", &dir);
    if outer.path().metadata().unwrap().uid() == 0 {
        child.uid(65534).gid(65534);
    }
    let status = child.status();
    mode(&dir, 0o755);
    assert!(status.unwrap().success());
}

#[cfg(unix)]
fn reads_and_cannot_write(dir: &Path) {
    let store = open(dir);
    assert_eq!(store.read(Namespace::Discovery, "folder").unwrap().as_deref(), Some(&b"yes"[..]));
    assert_eq!(store.keys(Namespace::Discovery).unwrap(), ["folder"]);
    let error = store.write(Namespace::Discovery, "other", b"yes").unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write to `{}`", dir.join("state.db").display()));
    assert!(store.remove(Namespace::Discovery, "folder").is_err());
}
