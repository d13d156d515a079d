//! Programs that are not what they seem, or do not do what they should.

use super::{has_mark, lists_only_good_and, marking, project};
use crate::world::{World, skipped};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set its mode");
}

/// A script with a header that makes it the tool `t`, and leaves the mark when run.
fn marking_tool() -> World {
    let world = project();
    let script = marking(&world).replacen('\n', "\n# tool: t\n", 1);
    world.script("tools/t.sh", &script)
}

/// The tool is not there, or is refused when called; either way it did not run, and the reason was said.
fn refuses(world: &World, reason: &str) {
    let listed = world.run(&["tools", "--json"]).exits(0);
    let called = world.run(&["t"]);
    assert!([3, 4, 5].contains(&called.code), "{called:?}");
    let said = listed.err + &called.err;
    assert!(said.contains(reason), "{reason:?} is not in {said:?}");
    assert!(!has_mark(world), "it ran");
}

/// The others here would prove nothing if this one did not run.
#[test]
fn the_marking_tool_runs_where_nothing_is_wrong() {
    let world = marking_tool();
    world.run(&["t"]).exits(0);
    assert!(has_mark(&world));
}

/// S6: a program that would run as somebody else, under another name.
#[test]
fn a_program_that_changes_the_user_is_not_run() {
    for mode in [0o4755, 0o2755] {
        let world = marking_tool();
        let kept = world.outside().join("kept");
        fs::rename(world.path("tools/t.sh"), &kept).expect("rename");
        set_mode(&kept, mode);
        fs::hard_link(&kept, world.path("tools/t.sh")).expect("a hard link");
        refuses(&world, "setuid or setgid");
    }
}

/// S12: a folder or a file that anybody may write.
#[test]
fn what_anybody_may_write_is_not_run() {
    let world = marking_tool();
    set_mode(&world.path("tools/t.sh"), 0o777);
    refuses(&world, "this file is world-writable");
    let world = marking_tool();
    set_mode(&world.path("tools"), 0o777);
    refuses(&world, "its folder is world-writable");
}

/// S12: the script that a tool file starts.
#[test]
fn a_tool_file_does_not_start_what_anybody_may_write() {
    let world = project();
    let script = marking(&world);
    let world = world
        .script("tools/run.sh", &script)
        .file("tools/t.tool.toml", "name = \"t\"\n[run]\ncommand = [\"./run.sh\"]\n");
    set_mode(&world.path("tools/run.sh"), 0o757);
    refuses(&world, "this file is world-writable");
}

/// S12: a file of somebody else. Only the system's own user can give files away.
#[test]
fn what_belongs_to_somebody_else_is_not_run() {
    let world = marking_tool();
    if std::os::unix::fs::chown(world.path("tools/t.sh"), Some(54321), None).is_err() {
        return skipped("needs the right to give files away");
    }
    refuses(&world, "belongs to another user");
}

/// S16: a script whose interpreter lies in its own folder.
#[test]
fn an_interpreter_of_the_folder_is_not_used() {
    for line in ["#!./evil", "#!evil", "#!/usr/bin/env ./evil", "#!/usr/bin/env -S ./evil"] {
        let world = project();
        let evil = marking(&world);
        let world =
            world.script("tools/evil", &evil).script("tools/t.sh", &format!("{line}\n# tool: t\n"));
        refuses(&world, "`#!` line");
    }
    let world = project();
    let (evil, place) = (marking(&world), world.path("tools/evil"));
    let world = world
        .script("tools/evil", &evil)
        .script("tools/t.sh", &format!("#!{}\n# tool: t\n", place.display()));
    refuses(&world, "`#!` line");
}

/// S11: a tool that cannot be told to end, and leaves somebody behind.
#[test]
fn a_tool_that_will_not_end_is_ended_with_all_it_started() {
    let script = "#!/bin/sh\n# tool: t\n# timeout: 300ms\ntrap '' TERM\nsleep 600 &\necho $! > pid\nwhile :; do sleep 600; done\n";
    let world = project().script("tools/t.sh", script);
    let started = Instant::now();
    world.run(&["t"]).exits(3).says(&["took longer than 300 ms"]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
    let pid = fs::read_to_string(world.path("tools/pid")).expect("it ran");
    assert!(is_gone(pid.trim()), "process {pid} is still there");
}

/// Not there, or dead and not yet buried.
fn is_gone(pid: &str) -> bool {
    let state = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("ps starts");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

/// S11: one that never stops talking.
#[test]
fn a_flood_is_stopped() {
    let world = project().file("tools/t.tool.toml", "name = \"t\"\n[run]\ncommand = [\"yes\"]\n");
    let flooded = world.run(&["t"]);
    assert_ne!(flooded.code, 0);
    assert!(flooded.out.len() < 1 << 20, "{} bytes came through", flooded.out.len());
    assert!(flooded.err.contains("8 MiB"), "{}", &flooded.err[..flooded.err.len().min(1000)]);
}

/// S11: one that does not read what it is given.
#[test]
fn a_tool_need_not_read_its_input() {
    let world = project().file(
        "tools/t.tool.toml",
        "name = \"t\"\n[[parameters]]\nname = \"a\"\n[run]\ncommand = [\"echo\", \"done\"]\n",
    );
    let much = format!("{{\"a\": \"{}\"}}", "x".repeat(4 << 20));
    assert_eq!(world.run_with(much.as_bytes(), &["t", "--input", "-"]).exits(0).out, "done\n");
}

/// A program that is not there, or cannot be started.
#[test]
fn a_program_that_is_missing_is_said_when_it_is_called() {
    let tool = |command: &str| format!("name = \"t\"\n[run]\ncommand = [\"{command}\"]\n");
    let world = project().file("tools/t.tool.toml", &tool("no-such-program-anywhere"));
    lists_only_good_and(&world, &["t"]);
    world
        .run(&["t"])
        .exits(3)
        .says(&["`no-such-program-anywhere` is not installed, or not in PATH"]);
    let world = project()
        .file("tools/plain.sh", "#!/bin/sh\n")
        .file("tools/t.tool.toml", &tool("./plain.sh"));
    world.run(&["t"]).exits(3).says(&["it is not executable", "chmod +x"]);
}
