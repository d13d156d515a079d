//! Effects of edits on the file itself.

use super::*;
use std::cell::Cell;
use std::fs;

fn editor(folder: &Path) -> ConfigEditor {
    ConfigEditor::new(Some(folder.join("state")))
}

#[test]
fn an_edit_keeps_a_concurrent_change_of_another_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    fs::write(&file, "a = 1\n").expect("written");
    let attempts = Cell::new(0);
    let edited = editor(folder.path()).edit(&file, |map| {
        attempts.set(attempts.get() + 1);
        if attempts.get() == 1 {
            fs::write(&file, "a = 1\nb = 2 # by an editor\n").expect("written");
        }
        assert_eq!(map.contains_key("b"), attempts.get() > 1);
        Ok(vec![set(&["c"], json!(3))])
    });
    edited.expect("changed");
    assert_eq!(attempts.get(), 2);
    assert_eq!(
        fs::read_to_string(&file).expect("the file exists"),
        "a = 1\nb = 2 # by an editor\nc = 3\n"
    );
}

#[test]
fn an_edit_keeps_a_file_created_concurrently() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    let attempts = Cell::new(0);
    let edited = editor(folder.path()).edit(&file, |_| {
        attempts.set(attempts.get() + 1);
        fs::write(&file, "a = 1\n").expect("written");
        Ok(vec![set(&["c"], json!(3))])
    });
    edited.expect("changed");
    assert_eq!(fs::read_to_string(&file).expect("the file exists"), "a = 1\nc = 3\n");
}

#[test]
fn editing_gives_up_if_the_file_keeps_changing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    let attempts = Cell::new(0);
    let edited = editor(folder.path()).edit(&file, |_| {
        attempts.set(attempts.get() + 1);
        fs::write(&file, format!("a = {}\n", attempts.get())).expect("written");
        Ok(vec![set(&["c"], json!(3))])
    });
    assert!(edited.expect_err("the edit fails").to_string().contains("changed by another program"));
    assert_eq!(attempts.get(), ATTEMPTS);
}

#[test]
fn an_edit_without_effect_does_not_write_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    fs::write(&file, "a = 1\n").expect("written");
    let before = fs::metadata(&file).expect("the file exists").modified().expect("a time");
    editor(folder.path())
        .edit(&file, |_| Ok(vec![set(&["a"], json!(1))]))
        .expect("no change is needed");
    assert_eq!(fs::metadata(&file).expect("the file exists").modified().expect("a time"), before);
    editor(folder.path())
        .edit(&folder.path().join("none.toml"), |_| Ok(Vec::new()))
        .expect("no change is needed");
    assert!(!folder.path().join("none.toml").exists());
}

#[cfg(unix)]
#[test]
fn editing_preserves_symlinks_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("dotfiles.toml"), folder.path().join("config.toml"));
    fs::write(&real, "a = 1\n").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
    symlink(&real, &link).expect("linked");
    editor(folder.path()).edit(&link, |_| Ok(vec![set(&["a"], json!(2))])).expect("changed");
    assert!(link.symlink_metadata().expect("the file exists").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("the file exists"), "a = 2\n");
    assert_eq!(fs::metadata(&real).expect("the file exists").permissions().mode() & 0o777, 0o640);
    fs::remove_file(&real).expect("removed");
    let error = editor(folder.path())
        .edit(&link, |_| Ok(vec![set(&["a"], json!(2))]))
        .expect_err("broken symbolic link");
    assert!(error.to_string().contains("broken symbolic link"), "{error}");
}

#[test]
fn stale_temporary_files_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    let (old, young) = (
        folder.path().join(".any.toml.toolscout-1-1"),
        folder.path().join(".any.toml.toolscout-1-2"),
    );
    fs::write(&young, "half").expect("written");
    fs::write(&old, "half").expect("written");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options()
        .write(true)
        .open(&old)
        .and_then(|value| value.set_modified(long_ago))
        .expect("set the modification time");
    editor(folder.path()).edit(&file, |_| Ok(vec![set(&["a"], json!(1))])).expect("changed");
    assert!(!old.exists() && young.exists());
}

#[test]
fn editing_a_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = editor(folder.path())
        .edit(folder.path(), |_| Ok(vec![set(&["a"], json!(1))]))
        .expect_err("a folder");
    assert!(error.to_string().ends_with("` is not a file"), "{error}");
}

#[test]
fn files_can_be_edited_without_a_state_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.toml");
    ConfigEditor::new(None).edit(&file, |_| Ok(vec![set(&["a"], json!(1))])).expect("changed");
    assert_eq!(fs::read_to_string(&file).expect("the file exists"), "a = 1\n");
}
