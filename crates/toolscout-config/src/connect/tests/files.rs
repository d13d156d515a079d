//! Effects on whole files.

use super::super::connection;
use super::super::connection::DisconnectOutcome;
use super::super::launch::launch_command_for;
use super::{ClientSite, World, client, connect, launch, own_program, sample};
use crate::import::{self, CLIENTS};
use crate::{ConfigEditor, ConfigScope, file};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use toolscout_core::{MemoryStore, Namespace, Store};

/// The file as saved by several editors.
fn saved_variants(text: &str) -> Vec<Vec<u8>> {
    let crlf = text.replace('\n', "\r\n");
    let texts =
        [text.to_owned(), crlf.clone(), format!("\u{feff}{text}"), format!("\u{feff}{crlf}")];
    texts.map(String::into_bytes).to_vec()
}

#[test]
fn disconnecting_restores_every_file_byte_for_byte() {
    for client in &CLIENTS {
        for original in
            saved_variants(&sample(client)).into_iter().chain([b"".to_vec(), b"\n".to_vec()])
        {
            let world = World::new();
            let path = world.write(client, &original);
            assert!(world.connect(client), "{}", client.name);
            let connected = fs::read(&path).expect("the file");
            assert_ne!(connected, original);
            assert!(world.site(client).is_connected(), "{}", client.name);
            assert_eq!(world.disconnect(client), DisconnectOutcome::Restored, "{}", client.name);
            assert_eq!(fs::read(&path).expect("the file"), original, "{}", client.name);
            assert_eq!(world.store.keys(Namespace::Backup).expect("keys"), [""; 0]);
        }
    }
}

#[test]
fn disconnecting_removes_a_created_file_and_its_folders() {
    for client in &CLIENTS {
        let world = World::new();
        let path = world.path(client);
        assert!(world.connect(client));
        let text = fs::read_to_string(&path).expect("the file");
        assert!(text.ends_with("\n") && !text.contains('\r'), "{text:?}");
        assert_eq!(world.disconnect(client), DisconnectOutcome::Removed);
        let remaining: Vec<_> = fs::read_dir(world.home())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(remaining, ["project"], "{}", client.name);
    }
}

#[test]
fn connecting_twice_changes_nothing() {
    for client in &CLIENTS {
        let world = World::new();
        let path = world.write(client, sample(client).as_bytes());
        world.connect(client);
        let once = (
            fs::read(&path).expect("the file"),
            world.store.read(Namespace::Backup, &path.to_string_lossy()),
        );
        assert!(!world.connect(client), "{}", client.name);
        let twice = (
            fs::read(&path).expect("the file"),
            world.store.read(Namespace::Backup, &path.to_string_lossy()),
        );
        assert_eq!(once.0, twice.0);
        assert_eq!(once.1.expect("kept"), twice.1.expect("kept"));
        assert_eq!(world.disconnect(client), DisconnectOutcome::Restored);
        assert_eq!(world.disconnect(client), DisconnectOutcome::NotConnected);
    }
}

/// The document of a client, without our entry.
fn without_own_entry(path: &Path, text: &str, section: &[String]) -> Value {
    let mut document = import::parse(path, text).expect("a document");
    let table = section.iter().fold(&mut document, |section, key| &mut section[key.as_str()]);
    table.as_object_mut().expect("a table").remove("toolscout");
    document
}

#[test]
fn disconnecting_keeps_changes_made_since_connecting() {
    for client in &CLIENTS {
        let world = World::new();
        let path = world.write(client, sample(client).as_bytes());
        world.connect(client);
        let edited = fs::read_to_string(&path).expect("the file").replace("npx", "bunx");
        fs::write(&path, &edited).expect("edit the file");
        assert_eq!(world.disconnect(client), DisconnectOutcome::EntryRemoved, "{}", client.name);
        let remaining = fs::read_to_string(&path).expect("the file");
        assert!(remaining.contains("bunx") && !remaining.contains("toolscout"), "{remaining}");
        let comments = [
            "// mine",
            "// keep",
            "# mine",
            "# keep",
            "# first",
            "# the end",
            "/* servers */",
            "// Zed",
        ];
        for comment in comments.iter().filter(|comment| sample(client).contains(*comment)) {
            assert!(remaining.contains(comment), "{comment} is not in {remaining}");
        }
        let site = world.site(client);
        let expected = sample(client).replace("npx", "bunx");
        assert_eq!(
            without_own_entry(&path, &remaining, &site.section),
            without_own_entry(&path, &expected, &site.section),
            "{}",
            client.name
        );
    }
}

#[test]
fn the_original_file_can_be_restored_after_edits() {
    let (world, cursor) = (World::new(), client("cursor"));
    let path = world.write(cursor, sample(cursor).as_bytes());
    world.connect(cursor);
    fs::write(&path, "{}").expect("edit the file");
    assert_eq!(world.disconnect(cursor), DisconnectOutcome::NotConnected);
    fs::write(&path, "{ broken").expect("write an invalid file");
    let restore =
        || connection::restore(&path, &ConfigEditor::new(None), &world.store).expect("put back");
    assert_eq!(restore(), DisconnectOutcome::Restored);
    assert_eq!(fs::read_to_string(&path).expect("the file"), sample(cursor));
    assert_eq!(restore(), DisconnectOutcome::NotConnected);
}

#[test]
fn disconnecting_after_an_edit_does_not_restore_older_content() {
    let (world, cursor) = (World::new(), client("cursor"));
    let path = world.write(cursor, sample(cursor).as_bytes());
    world.connect(cursor);
    let edited = fs::read_to_string(&path)
        .expect("the file")
        .replace("npx", "bunx")
        .replace("/opt/bin/", "/old/");
    fs::write(&path, &edited).expect("edit the file");
    assert!(world.connect(cursor));
    assert_eq!(world.disconnect(cursor), DisconnectOutcome::Restored);
    let remaining = fs::read_to_string(&path).expect("the file");
    assert!(remaining.contains("bunx") && !remaining.contains("toolscout"), "{remaining}");
}

#[test]
fn reconnecting_with_a_new_path_keeps_the_original_backup() {
    let (world, codex) = (World::new(), client("codex"));
    let path = world.write(codex, sample(codex).as_bytes());
    world.connect(codex);
    let site = world.site(codex);
    let launch = import::LaunchCommand { command: "/new/toolscout".to_owned(), ..launch() };
    assert!(connect(&site, &launch, &world.store).expect("connect"));
    assert!(fs::read_to_string(&path).expect("the file").contains("/new/toolscout"));
    assert_eq!(world.disconnect(codex), DisconnectOutcome::Restored);
    assert_eq!(fs::read_to_string(&path).expect("the file"), sample(codex));
}

#[test]
fn connecting_refuses_unsupported_files_unchanged() {
    let cursor = client("cursor");
    for text in [
        r#"{"mcpServers": {"toolscout": {"command": "another"}}}"#,
        r#"{"mcpServers": []}"#,
        r#"[1, 2]"#,
        r#"{"mcpServers": {"#,
        "\u{0}",
    ] {
        let world = World::new();
        let path = world.path(cursor);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        fs::write(&path, text).expect("write a file");
        let site = ClientSite::find(cursor, &world.folders(), ConfigScope::User, &own_program());
        let connected = site.and_then(|site| connect(&site, &launch(), &world.store));
        assert!(connected.is_err(), "{text}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    }
}

#[test]
fn connecting_does_not_overwrite_a_concurrent_change() {
    let (world, cursor) = (World::new(), client("cursor"));
    let path = world.write(cursor, sample(cursor).as_bytes());
    let site = world.site(cursor);
    fs::write(&path, "{}").expect("another program writes the file");
    assert!(connect(&site, &launch(), &world.store).is_err());
    assert_eq!(fs::read_to_string(&path).expect("the file"), "{}");
    let folder = path.parent().expect("a folder");
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 1, "no temporary file remains");
}

#[test]
fn connecting_preserves_symlinks_and_permissions() {
    let (world, cursor) = (World::new(), client("cursor"));
    let real = world.home().join("dotfiles.json");
    fs::write(&real, sample(cursor)).expect("write a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set rights");
    let link = world.home().join(".cursor/mcp.json");
    fs::create_dir_all(link.parent().expect("a folder")).expect("make folders");
    std::os::unix::fs::symlink(&real, &link).expect("link");
    world.connect(cursor);
    assert!(
        link.is_symlink() && fs::read_to_string(&real).expect("the file").contains("toolscout")
    );
    assert_eq!(fs::metadata(&real).expect("rights").permissions().mode() & 0o777, 0o640);
    assert_eq!(world.disconnect(cursor), DisconnectOutcome::Restored);
    assert_eq!(fs::read_to_string(&real).expect("the file"), sample(cursor));
    assert_eq!(file::real_path(&link), real);
}

/// A store in which every write fails.
#[test]
fn connecting_fails_if_no_backup_can_be_stored() {
    struct Full(MemoryStore);
    impl Store for Full {
        fn read(
            &self,
            namespace: Namespace,
            key: &str,
        ) -> Result<Option<Vec<u8>>, toolscout_core::StoreError> {
            self.0.read(namespace, key)
        }
        fn write(&self, _: Namespace, _: &str, _: &[u8]) -> Result<(), toolscout_core::StoreError> {
            Err(toolscout_core::StoreError { what: "the disk is full".to_owned(), cause: None })
        }
        fn remove(
            &self,
            namespace: Namespace,
            key: &str,
        ) -> Result<bool, toolscout_core::StoreError> {
            self.0.remove(namespace, key)
        }
        fn keys(&self, namespace: Namespace) -> Result<Vec<String>, toolscout_core::StoreError> {
            self.0.keys(namespace)
        }
        fn swap(
            &self,
            _: Namespace,
            _: &str,
            _: Option<&[u8]>,
            _: Option<&[u8]>,
        ) -> Result<bool, toolscout_core::StoreError> {
            Err(toolscout_core::StoreError { what: "the disk is full".to_owned(), cause: None })
        }
        fn lease(
            &self,
            name: &str,
        ) -> Result<Option<toolscout_core::Lease>, toolscout_core::StoreError> {
            self.0.lease(name)
        }
        fn is_leased(&self, name: &str) -> Result<bool, toolscout_core::StoreError> {
            self.0.is_leased(name)
        }
        fn key(&self) -> Result<[u8; 32], toolscout_core::StoreError> {
            self.0.key()
        }
    }
    let (world, cursor) = (World::new(), client("cursor"));
    let path = world.write(cursor, sample(cursor).as_bytes());
    let site = world.site(cursor);
    let refused = connect(&site, &launch(), &Full(MemoryStore::default()));
    assert!(refused.is_err_and(|error| error.to_string().contains("the disk is full")));
    assert_eq!(fs::read_to_string(&path).expect("the file"), sample(cursor));
}

#[test]
fn the_launch_command_uses_the_name_if_path_finds_this_executable() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("toolscout");
    fs::write(&file, "").expect("write a file");
    let other = tempfile::tempdir().expect("a folder");
    let path = |folder: &Path| format!("/nowhere:{}", folder.display());
    assert_eq!(
        launch_command_for("toolscout", &file, Some(&path(folder.path()))).command,
        "toolscout"
    );
    assert_eq!(
        launch_command_for("toolscout", &file, Some(&path(other.path()))).command,
        file.display().to_string()
    );
    assert_eq!(launch_command_for("toolscout", &file, None).command, file.display().to_string());
    fs::write(other.path().join("toolscout"), "").expect("write a file");
    let both = format!("{}:{}", other.path().display(), folder.path().display());
    assert_eq!(
        launch_command_for("toolscout", &file, Some(&both)).command,
        file.display().to_string()
    );
}
