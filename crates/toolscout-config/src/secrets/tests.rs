use super::StoredSecrets;
use std::fs;

fn secrets() -> (tempfile::TempDir, StoredSecrets) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let secrets = StoredSecrets::new(dir.path().join("config/secrets"));
    (dir, secrets)
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_stored_secret() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, secrets) = secrets();
    let path = secrets.set("TOKEN", "one").expect("a secret");
    secrets.set("TOKEN", "two").expect("another value");
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&secrets.folder().to_owned())), (0o600, 0o700));
    assert_eq!(fs::read_to_string(path).expect("a file"), "two");
}

#[test]
fn secrets_are_listed_and_removed_by_name() {
    let (_dir, secrets) = secrets();
    assert_eq!(secrets.names().expect("a missing folder is empty"), [] as [String; 0]);
    secrets.set("B", "x").expect("a secret");
    secrets.set("a.token-2", "x").expect("a secret");
    assert_eq!(secrets.names().expect("names"), ["B", "a.token-2"]);
    assert!(secrets.remove("B").expect("remove"));
    assert!(!secrets.remove("B").expect("remove again"));
    assert_eq!(secrets.names().expect("names"), ["a.token-2"]);
}

#[test]
fn a_name_never_leaves_the_folder() {
    let (_dir, secrets) = secrets();
    for name in ["", ".", "..", "../x", "a/b", ".hidden", "-x", "a b", "ä", &"x".repeat(200)] {
        assert!(secrets.set(name, "x").is_err(), "{name}");
    }
}
