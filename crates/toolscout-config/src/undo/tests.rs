//! 1. Undoing restores every file byte for byte, newest change first.
//! 2. A file that another program changed keeps that change; its entries are restored.
//! 3. The journal is bounded.

use super::{UndoAction, UndoPlan};
use crate::{ChangeRecorder, ConfigEdit, ConfigEditor};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use toolscout_core::{MemoryStore, Namespace, Store};

struct World {
    dir: TempDir,
    store: Arc<MemoryStore>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self { dir, store: Arc::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path").join(name)
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).expect("write a file");
        self
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn editor(&self, summary: &str) -> ConfigEditor {
        let store: Arc<dyn Store> = self.store.clone();
        ConfigEditor::new(None).recording(ChangeRecorder::new(store, "server add", summary))
    }

    /// Sets an entry of a file, as one change.
    fn set(&self, name: &str, key: &str, value: Value) {
        set(&self.editor(key), &self.path(name), key, value);
    }

    fn plans(&self, whole: bool) -> Vec<UndoPlan> {
        UndoPlan::all(&*self.store, whole).expect("a journal that can be read")
    }

    fn undo(&self) -> Vec<UndoAction> {
        let plans = self.plans(false);
        let newest = plans.first().expect("a change");
        newest.apply(&*self.store).expect("undo");
        newest.files().map(|(_, action, _)| action).collect()
    }
}

fn set(editor: &ConfigEditor, file: &Path, key: &str, value: Value) {
    let path = ["servers".to_owned(), key.to_owned()].to_vec();
    editor.edit(file, |_| Ok(vec![ConfigEdit::Set(path.clone(), value.clone())])).expect("an edit");
}

#[test]
fn changes_are_undone_newest_first_and_byte_for_byte() {
    let original = "# mine\n[servers.a]\ncommand = 'x' # odd\r\n";
    let world = World::new().file("config.toml", original);
    world.set("config.toml", "b", json!({"command": "y"}));
    let between = world.text("config.toml");
    world.set("config.toml", "c", json!({"command": "z"}));
    assert_eq!(world.plans(false).iter().map(UndoPlan::summary).collect::<Vec<_>>(), ["c", "b"]);
    assert_eq!(world.undo(), [UndoAction::Restore]);
    assert_eq!(world.text("config.toml"), between);
    assert_eq!(world.undo(), [UndoAction::Restore]);
    assert_eq!(world.text("config.toml"), original);
    assert!(world.plans(false).is_empty());
    assert_eq!(world.store.keys(Namespace::Backup).expect("keys"), [] as [String; 0]);
}

#[test]
fn a_new_file_is_removed_with_its_folders() {
    let world = World::new();
    world.set("new/deep/config.toml", "a", json!({"command": "x"}));
    assert_eq!(world.undo(), [UndoAction::Remove]);
    assert!(!world.path("new").exists());
}

/// Claude Code writes its file whenever it starts.
#[test]
fn a_file_that_has_changed_since_keeps_the_change() {
    let world = World::new().file("config.json", "{\"servers\": {\"a\": {\"command\": \"x\"}}}");
    world.set("config.json", "a", json!({"command": "y"}));
    world.set("config.json", "b", json!({"command": "z"}));
    let changed = world.text("config.json").replacen('{', "{\"starts\": 3, ", 1);
    let world = world.file("config.json", &changed);
    assert_eq!(world.undo(), [UndoAction::RestoreEntries]);
    assert_eq!(world.undo(), [UndoAction::RestoreEntries]);
    let now: Value = serde_json::from_str(&world.text("config.json")).expect("JSON");
    assert_eq!(now, json!({"starts": 3, "servers": {"a": {"command": "x"}}}));
}

#[test]
fn an_entry_that_the_user_has_changed_since_is_not_restored() {
    let original = "{\"servers\": {}}";
    for after in ["\"y\", \"args\": [\"mine\"]", "\"z\""] {
        let world = World::new().file("config.json", original);
        world.set("config.json", "a", json!({"command": "y"}));
        let edited = world.text("config.json").replace("\"y\"", after);
        let world = world.file("config.json", &edited);
        let plans = world.plans(false);
        let actions: Vec<_> = plans[0].files().map(|(_, action, _)| action).collect();
        assert_eq!(actions, [UndoAction::Refuse], "{after}");
        plans[0].apply(&*world.store).expect_err("the entry has changed");
        assert_eq!(world.text("config.json"), edited);
    }
}

/// Another program may write its file in another layout, and a later change may write a part of an
/// entry.
#[test]
fn an_entry_that_only_looks_different_is_restored() {
    let world = World::new().file("config.json", "{\"servers\": {}}");
    let editor = world.editor("both");
    set(&editor, &world.path("config.json"), "a", json!({"command": "y", "args": ["1"]}));
    let path = ["servers", "a", "enabled"].map(str::to_owned).to_vec();
    let disable = vec![ConfigEdit::Set(path, json!(false))];
    editor.edit(&world.path("config.json"), |_| Ok(disable.clone())).expect("an edit");
    let other = "{\"starts\": 1, \"servers\": {\"a\":\n {\"enabled\": false, \"args\": [\"1\"], \"command\": \"y\"}}}";
    let world = world.file("config.json", other);
    assert_eq!(world.undo(), [UndoAction::RestoreEntries]);
    let now: Value = serde_json::from_str(&world.text("config.json")).expect("JSON");
    assert_eq!(now, json!({"starts": 1, "servers": {}}));
}

#[test]
fn a_changed_file_that_cannot_be_edited_is_restored_only_as_a_whole() {
    let original = "[servers.a]\ncommand = \"x\"\n";
    let world = World::new().file("config.toml", original);
    world.set("config.toml", "b", json!({"command": "y"}));
    let world = world.file("config.toml", "not = [toml");
    let plans = world.plans(false);
    assert_eq!(
        plans[0].files().map(|(_, action, _)| action).collect::<Vec<_>>(),
        [UndoAction::Refuse]
    );
    let error = plans[0].apply(&*world.store).expect_err("the file has changed");
    assert!(error.to_string().contains("has changed since"), "{error}");
    assert_eq!(world.text("config.toml"), "not = [toml");
    world.plans(true)[0].apply(&*world.store).expect("restored as a whole");
    assert_eq!(world.text("config.toml"), original);
}

#[test]
fn a_file_that_changes_after_the_plan_is_not_overwritten() {
    let original = "{\"servers\": {}}";
    for (edited, action) in [
        (" {\"servers\": {\"b\": {\"command\": \"y\"}}}", UndoAction::RestoreEntries),
        ("", UndoAction::Restore),
    ] {
        let world = World::new().file("config.json", original);
        world.set("config.json", "b", json!({"command": "y"}));
        let world = if edited.is_empty() { world } else { world.file("config.json", edited) };
        let plans = world.plans(false);
        assert!(plans[0].files().all(|(_, planned, _)| planned == action), "{action:?}");
        let world = world.file("config.json", "{\"mine\": 1}");
        let error = plans[0].apply(&*world.store).expect_err("changed since the plan");
        assert!(error.to_string().contains("was changed by another program"), "{error}");
        assert_eq!(world.text("config.json"), "{\"mine\": 1}");
    }
}

#[test]
fn a_change_with_only_rows_left_can_be_undone() {
    let world = World::new().file("config.json", "{}");
    let editor = world.editor("rows");
    editor.recorder().expect("a recorder").row(Namespace::Approval, "new").expect("record");
    world.store.write(Namespace::Approval, "new", b"after").expect("write");
    set(&editor, &world.path("config.json"), "a", json!({"command": "x"}));
    let world = world.file("config.json", "{}");
    assert_eq!(world.undo(), []);
    assert_eq!(world.store.read(Namespace::Approval, "new").expect("read"), None);
    assert!(world.plans(false).is_empty());
}

#[test]
fn one_change_of_a_file_in_two_steps_is_undone_in_one() {
    let original = "[servers.a]\ncommand = \"x\"\n";
    let world = World::new().file("config.toml", original);
    let editor = world.editor("both");
    set(&editor, &world.path("config.toml"), "a", json!({"command": "y"}));
    set(&editor, &world.path("config.toml"), "b", json!({"command": "z"}));
    assert_eq!(world.undo(), [UndoAction::Restore]);
    assert_eq!(world.text("config.toml"), original);
}

#[test]
fn rows_of_the_store_are_restored() {
    let world = World::new();
    world.store.write(Namespace::Approval, "kept", b"before").expect("write");
    let editor = world.editor("rows");
    set(&editor, &world.path("config.toml"), "a", json!({"command": "x"}));
    for key in ["kept", "new"] {
        editor.recorder().expect("a recorder").row(Namespace::Approval, key).expect("record");
        world.store.write(Namespace::Approval, key, b"after").expect("write");
    }
    world.undo();
    let read = |key: &str| world.store.read(Namespace::Approval, key).expect("read");
    assert_eq!((read("kept"), read("new")), (Some(b"before".to_vec()), None));
}

#[test]
fn only_the_last_twenty_changes_are_kept() {
    let world = World::new();
    for number in 0..30 {
        world.set("config.toml", &format!("s{number}"), json!({"command": "x"}));
    }
    let plans = world.plans(false);
    assert_eq!((plans.len(), plans[0].summary(), plans[19].summary()), (20, "s29", "s10"));
    assert_eq!(world.store.keys(Namespace::Backup).expect("keys").len(), 40);
}
