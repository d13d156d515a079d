//! Data that cannot be recreated: approvals, and backups of other programs' files.

use super::open;
use crate::SqliteStore;
use std::fs;
use std::path::{Path, PathBuf};
use toolscout_core::{Namespace, Store, StoreError};

const PRECIOUS: [Namespace; 3] = [Namespace::Trust, Namespace::Approval, Namespace::Backup];

/// A folder with an approval and a scan in it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(Namespace::Approval, "mail", b"approved").unwrap();
    store.write(Namespace::Scan, "root", b"scanned").unwrap();
    let trust = dir.path().join("trust.db");
    (dir, trust)
}

fn approved(store: &SqliteStore) -> Result<Option<Vec<u8>>, StoreError> {
    store.read(Namespace::Approval, "mail")
}

fn copies(dir: &Path) -> Vec<String> {
    let names =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.contains(".broken-")).collect();
    names.sort();
    names
}

/// A damaged file is reset; a single invalid record is repaired by another approval.
fn says_what_to_do(error: &StoreError, trust: &Path) {
    says_how_to_approve(error, trust);
    let text = error.to_string();
    assert!(text.contains("run `toolscout trust reset`"), "{text}");
}

fn says_how_to_approve(error: &StoreError, trust: &Path) {
    let text = error.to_string();
    assert!(text.contains(&format!("`{}`", trust.display())), "{text}");
    assert!(text.contains("`toolscout review accept SERVER`"), "{text}");
}

#[test]
fn precious_data_is_separate_and_opened_on_first_use() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for namespace in [Namespace::Scan, Namespace::Probe, Namespace::Discovery, Namespace::Pending] {
        assert!(!namespace.is_precious());
        store.write(namespace, "a", b"x").unwrap();
        store.keys(namespace).unwrap();
    }
    drop((store.lease("a").unwrap(), store.key().unwrap()));
    assert!(!dir.path().join("trust.db").exists());
    for namespace in PRECIOUS {
        assert!(namespace.is_precious());
        assert_eq!(store.read(namespace, "a").unwrap(), None);
        store.write(namespace, "a", namespace.as_str().as_bytes()).unwrap();
    }
    assert!(dir.path().join("trust.db").exists());
    drop(store);
    fs::remove_file(dir.path().join("state.db")).unwrap();
    let store = open(dir.path());
    for namespace in PRECIOUS {
        assert_eq!(
            store.read(namespace, "a").unwrap().as_deref(),
            Some(namespace.as_str().as_bytes())
        );
        assert_eq!(store.keys(namespace).unwrap(), ["a"]);
        assert!(store.remove(namespace, "a").unwrap());
    }
}

#[test]
fn a_damaged_state_database_leaves_approvals_intact() {
    let (dir, _) = folder();
    fs::write(dir.path().join("state.db"), "rubbish").unwrap();
    let store = open(dir.path());
    assert!(store.recovered().is_some());
    assert_eq!(approved(&store).unwrap().as_deref(), Some(&b"approved"[..]));
}

#[test]
fn damaged_approvals_are_an_error_until_a_reset() {
    let (dir, trust) = folder();
    fs::write(&trust, "rubbish").unwrap();
    let store = open(dir.path());
    assert_eq!(
        store.read(Namespace::Scan, "root").unwrap().as_deref(),
        Some(&b"scanned"[..]),
        "other namespaces work"
    );
    assert_eq!(
        approved(&store).unwrap_err().to_string(),
        format!(
            "`{0}` is damaged, so its approvals do not count; a copy is `{0}.broken-1`; \
             run `toolscout trust reset`, then approve again with `toolscout review accept SERVER`",
            trust.display()
        )
    );
    for namespace in PRECIOUS {
        says_what_to_do(&store.write(namespace, "mail", b"approved").unwrap_err(), &trust);
        says_what_to_do(
            &store.swap(namespace, "mail", None, Some(b"approved")).unwrap_err(),
            &trust,
        );
        says_what_to_do(&store.remove(namespace, "mail").unwrap_err(), &trust);
        says_what_to_do(&store.keys(namespace).unwrap_err(), &trust);
    }
    says_what_to_do(&approved(&open(dir.path())).unwrap_err(), &trust);
    assert_eq!(copies(dir.path()), ["trust.db.broken-1"], "only one copy is made");
    assert_eq!(fs::read_to_string(dir.path().join("trust.db.broken-1")).unwrap(), "rubbish");
    assert_eq!(fs::read_to_string(&trust).unwrap(), "rubbish", "the damaged file is not changed");

    let moved = SqliteStore::reset_trust(dir.path()).unwrap().unwrap();
    assert_eq!(fs::read_to_string(moved).unwrap(), "rubbish");
    assert_eq!(approved(&store).unwrap(), None, "the open store works, without approvals");
    store.write(Namespace::Approval, "mail", b"again").unwrap();
    assert_eq!(approved(&open(dir.path())).unwrap().as_deref(), Some(&b"again"[..]));
}

#[test]
fn each_distinct_damage_is_copied() {
    let (dir, trust) = folder();
    for content in ["one", "two", "one"] {
        fs::write(&trust, content).unwrap();
        says_what_to_do(&approved(&open(dir.path())).unwrap_err(), &trust);
    }
    assert_eq!(copies(dir.path()), ["trust.db.broken-1", "trust.db.broken-2"]);
}

#[test]
fn damage_in_any_page_is_detected_before_use() {
    let (dir, trust) = folder();
    let store = open(dir.path());
    for at in 0..200 {
        store.write(Namespace::Backup, &at.to_string(), &[b'x'; 500]).unwrap();
    }
    drop(store);
    let whole = fs::read(&trust).unwrap();
    for page in 1..whole.len() / 16_384 {
        let mut bytes = whole.clone();
        bytes[page * 16_384..][..16_384].fill(0xff);
        fs::write(&trust, bytes).unwrap();
        says_what_to_do(&approved(&open(dir.path())).unwrap_err(), &trust);
    }
    fs::write(&trust, &whole[..whole.len() - 16_384]).unwrap();
    says_what_to_do(&approved(&open(dir.path())).unwrap_err(), &trust);
    fs::write(&trust, whole).unwrap();
    assert!(approved(&open(dir.path())).unwrap().is_some());
}

/// Whichever byte is changed, the approval is the original, missing or an error; never a different
/// one.
#[test]
fn a_changed_byte_never_changes_an_approval() {
    let (dir, trust) = folder();
    let whole = fs::read(&trust).unwrap();
    let written = whole.iter().enumerate().filter(|(_, item)| **item != 0).map(|(at, _)| at);
    let mut outcomes = [0; 3];
    for at in written.chain((0..whole.len()).step_by(997)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x01;
        fs::write(&trust, bytes).unwrap();
        match approved(&open(dir.path())) {
            Ok(Some(value)) if value == b"approved" => outcomes[0] += 1,
            Ok(Some(value)) => panic!("byte {at}: {value:?}"),
            Ok(None) => outcomes[1] += 1,
            Err(_) => outcomes[2] += 1,
        }
        copies(dir.path()).iter().for_each(|copy| fs::remove_file(dir.path().join(copy)).unwrap());
    }
    assert!(outcomes[0] > 0 && outcomes[2] > 0, "{outcomes:?}");
}

#[test]
fn values_written_by_other_programs_are_refused() {
    let (dir, trust) = folder();
    open(dir.path()).write(Namespace::Backup, "mail", b"approved").unwrap();
    let alter = |sql: &str| rusqlite::Connection::open(&trust).unwrap().execute(sql, []).unwrap();
    for sql in [
        "UPDATE kept SET value = x'00'",
        "UPDATE kept SET value = value || x'00'",
        "UPDATE kept SET value = 'text' || key",
        "INSERT OR REPLACE INTO kept SELECT 'approval', key, value, 0 FROM kept WHERE shelf = 'backup'",
        "INSERT OR REPLACE INTO kept SELECT shelf, 'mail', value, 0 FROM kept WHERE key = 'other'",
    ] {
        let store = open(dir.path());
        store.write(Namespace::Approval, "mail", b"approved").unwrap();
        store.write(Namespace::Approval, "other", b"something else").unwrap();
        assert_eq!(approved(&store).unwrap().as_deref(), Some(&b"approved"[..]));
        assert_ne!(alter(sql), 0);
        assert!(approved(&store).is_err(), "{sql}");
    }
    let error = approved(&open(dir.path())).unwrap_err();
    says_how_to_approve(&error, &trust);
    assert!(error.to_string().contains("at `mail`"), "{error}");
}

/// By this or another writer, with SQLite or without; reads change nothing.
#[test]
fn the_fingerprint_changes_with_every_write() {
    let (dir, trust) = folder();
    let store = open(dir.path());
    let fingerprint = || store.fingerprint(Namespace::Approval).unwrap();
    let mut seen = vec![fingerprint()];
    let mut is_other = |what: &str| {
        assert!(!seen.contains(&fingerprint()), "{what}");
        let now = fingerprint();
        drop((approved(&store), approved(&open(dir.path()))));
        assert_eq!(now, fingerprint(), "{what}: reading does not write");
        seen.push(now);
    };
    open(dir.path()).write(Namespace::Approval, "mail", b"another").unwrap();
    is_other("written by us");
    rusqlite::Connection::open(&trust).unwrap().execute("UPDATE kept SET written = 1", []).unwrap();
    is_other("written by somebody else");
    let written = fs::metadata(&trust).unwrap().modified().unwrap();
    let mut bytes = fs::read(&trust).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&trust, bytes).unwrap();
    fs::File::options().write(true).open(&trust).unwrap().set_modified(written).unwrap();
    if cfg!(unix) {
        is_other("a byte changed, and the clock set back");
    }
    drop(store);
    fs::remove_file(&trust).unwrap();
    assert_eq!(open(dir.path()).fingerprint(Namespace::Approval), None);
}

#[test]
fn without_the_key_no_approval_is_valid() {
    let (dir, trust) = folder();
    fs::write(dir.path().join("key"), [1; 32]).unwrap();
    let store = open(dir.path());
    says_how_to_approve(&approved(&store).unwrap_err(), &trust);
    store.write(Namespace::Approval, "mail", b"again").unwrap();
    assert_eq!(
        approved(&store).unwrap().as_deref(),
        Some(&b"again"[..]),
        "new approvals are stored"
    );
}

#[test]
fn a_moved_database_no_longer_counts_for_open_stores() {
    let (dir, trust) = folder();
    let store = open(dir.path());
    assert!(approved(&store).unwrap().is_some());
    fs::remove_file(&trust).unwrap();
    assert!(approved(&store).is_err());
    SqliteStore::reset_trust(dir.path()).unwrap();
    assert_eq!(approved(&store).unwrap(), None);
    open(dir.path()).write(Namespace::Approval, "mail", b"again").unwrap();
    assert_eq!(approved(&store).unwrap().as_deref(), Some(&b"again"[..]));
}

#[test]
fn a_newer_file_is_kept() {
    let (dir, trust) = folder();
    rusqlite::Connection::open(&trust).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = approved(&open(dir.path())).unwrap_err().to_string();
    assert!(error.contains("trust.db` was written by a newer toolscout"), "{error}");
    assert_eq!(copies(dir.path()), [""; 0]);
}

/// V-64.
#[test]
fn a_deleted_or_replaced_file_is_an_error_until_a_reset() {
    let (dir, trust) = folder();
    let other = folder();
    for replace in [None, Some(other.1)] {
        for suffix in ["", "-wal", "-shm"] {
            let path = PathBuf::from(format!("{}{suffix}", trust.display()));
            let _ = fs::remove_file(path);
        }
        if let Some(other) = replace {
            fs::copy(other, &trust).unwrap();
        }
        for _ in 0..2 {
            let error = approved(&open(dir.path())).unwrap_err().to_string();
            assert!(error.contains("is missing or was replaced"), "{error}");
            assert!(error.contains("`toolscout trust reset`"), "{error}");
        }
    }
    SqliteStore::reset_trust(dir.path()).unwrap();
    assert_eq!(approved(&open(dir.path())).unwrap(), None);
}
