//! A state folder that cannot be used or that contains invalid files.

use super::{lists_only_good_and, project};
use crate::world::{Outcome, World};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

fn state(world: &World) -> std::path::PathBuf {
    world.temp_dir().join("state")
}

#[test]
fn a_state_folder_that_is_a_file_is_a_warning() {
    let world = project();
    fs::write(state(&world), "not a folder").expect("write");
    lists_only_good_and(&world, &[]).stderr_contains(&[
        "warning: ",
        "state",
        "hint: nothing is stored until `",
    ]);
    assert_eq!(
        fs::read_to_string(state(&world)).expect("read"),
        "not a folder",
        "the file is not changed"
    );
}

#[test]
fn a_corrupt_state_file_is_set_aside_with_a_warning() {
    let world = project();
    fs::create_dir_all(state(&world))
        .and_then(|()| fs::write(state(&world).join("state.db"), "nonsense ".repeat(1000)))
        .expect("write");
    let listed = world
        .run(&["tools"])
        .exits(0)
        .stderr_contains(&["warning: the state database was unreadable", "a new one was created"]);
    assert_eq!(listed.out, "  good - Always there\n");
    assert_eq!(lists_only_good_and(&world, &[]).err, "", "the warning is shown once");
    let remaining = fs::read_dir(state(&world)).expect("read").filter_map(Result::ok);
    let remaining = remaining
        .filter(|value| fs::read(value.path()).is_ok_and(|bytes| bytes.starts_with(b"nonsense ")))
        .count();
    assert_eq!(remaining, 1, "the unreadable file is kept");
}

#[test]
fn a_truncated_state_file_is_set_aside() {
    let world = project();
    world.run(&["trust"]).exits(0);
    let file = state(&world).join("state.db");
    let bytes = fs::read(&file).expect("read");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("write");
    let listed = world.run(&["tools"]).exits(0);
    assert_eq!(listed.out, "  good - Always there\n");
    assert_eq!(lists_only_good_and(&world, &[]).err, "");
}

/// Runs the program as an unprivileged user if the test runs as root, because root can write
/// everywhere.
fn as_nobody(world: &World, args: &[&str]) -> Outcome {
    let mut command = world.command(args);
    if fs::metadata("/proc/self")
        .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
    {
        command.uid(65534).gid(65534);
    }
    Outcome::run(&mut command)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set its mode");
}

#[test]
fn a_state_folder_that_cannot_be_written_is_a_warning() {
    let world = project();
    set_mode(world.temp_dir(), 0o755);
    fs::create_dir_all(state(&world)).expect("make it");
    set_mode(&state(&world), 0o555);
    let listed = as_nobody(&world, &["tools"])
        .exits(0)
        .stderr_contains(&["warning: ", "hint: nothing is stored until `"]);
    assert_eq!(listed.out, "  good - Always there\n");
    assert_eq!(as_nobody(&world, &["good"]).exits(0).out, "{}\n");
    set_mode(&state(&world), 0o755);
}

#[test]
fn a_state_folder_that_cannot_be_read_is_a_warning() {
    let world = project();
    set_mode(world.temp_dir(), 0o755);
    world.run(&["trust"]).exits(0);
    set_mode(&state(&world), 0o000);
    let listed = as_nobody(&world, &["tools"])
        .exits(0)
        .stderr_contains(&["warning: ", "hint: nothing is stored until `"]);
    assert_eq!(listed.out, "  good - Always there\n");
    set_mode(&state(&world), 0o755);
}

#[test]
fn commands_that_need_storage_fail_without_it() {
    let world = project();
    fs::write(state(&world), "not a folder").expect("write");
    let refused = world.run(&["trust"]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn the_program_works_without_a_home_folder() {
    let world = project();
    let mut command = world.command(&["tools"]);
    command.env_remove("HOME").env_remove("TOOLSCOUT_STATE_DIR").env_remove("TOOLSCOUT_CONFIG_DIR");
    assert_eq!(Outcome::run(&mut command).exits(0).out, "  good - Always there\n");
}
