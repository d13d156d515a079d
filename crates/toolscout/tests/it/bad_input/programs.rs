//! Programs that must not run, or that misbehave when they run.

use super::{has_mark, lists_only_good_and, marking, project};
use crate::world::{World, report_skipped};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set its mode");
}

/// The tool `t`: a script with a header that creates the marker file when it runs.
fn marking_tool() -> World {
    let world = project();
    let script = marking(&world).replacen('\n', "\n# tool: t\n", 1);
    world.script("tools/t.sh", &script)
}

/// Expects that the tool is not listed or that its call is refused, that it did not run, and that
/// the output contains the reason.
fn refuses(world: &World, reason: &str) {
    let listed = world.run(&["tools", "--json"]).exits(0);
    let called = world.run(&["t"]);
    assert!([3, 4, 5].contains(&called.code), "{called:?}");
    let output = listed.err + &called.err;
    assert!(output.contains(reason), "{reason:?} is not in {output:?}");
    assert!(!has_mark(world), "the program ran");
}

/// Confirms that the marker tool runs without the changes that the other tests make.
#[test]
fn the_marker_tool_runs_in_a_valid_setup() {
    let world = marking_tool();
    world.run(&["t"]).exits(0);
    assert!(has_mark(&world));
}

/// S6: a setuid program would run as another user.
#[test]
fn a_setuid_program_is_not_run() {
    for mode in [0o4755, 0o2755] {
        let world = marking_tool();
        let remaining = world.temp_dir().join("kept");
        fs::rename(world.path("tools/t.sh"), &remaining).expect("rename");
        set_mode(&remaining, mode);
        fs::hard_link(&remaining, world.path("tools/t.sh")).expect("a hard link");
        refuses(&world, "setuid or setgid");
    }
}

/// S12: other users could replace the program.
#[test]
fn world_writable_files_and_folders_are_not_run() {
    let world = marking_tool();
    set_mode(&world.path("tools/t.sh"), 0o777);
    refuses(&world, "this file is world-writable");
    let world = marking_tool();
    set_mode(&world.path("tools"), 0o777);
    refuses(&world, "its folder is world-writable");
}

/// S12
#[test]
fn a_tool_file_does_not_run_a_world_writable_script() {
    let world = project();
    let script = marking(&world);
    let world = world
        .script("tools/run.sh", &script)
        .file("tools/t.tool.toml", "name = \"t\"\n[run]\ncommand = [\"./run.sh\"]\n");
    set_mode(&world.path("tools/run.sh"), 0o757);
    refuses(&world, "this file is world-writable");
}

/// S12: requires root, because only root can change the owner of a file.
#[test]
fn a_file_of_another_user_is_not_run() {
    let world = marking_tool();
    if std::os::unix::fs::chown(world.path("tools/t.sh"), Some(54321), None).is_err() {
        return report_skipped("needs the right to give files away");
    }
    refuses(&world, "belongs to another user");
}

/// S16
#[test]
fn an_interpreter_in_the_tool_folder_is_not_used() {
    for line in ["#!./evil", "#!evil", "#!/usr/bin/env ./evil", "#!/usr/bin/env -S ./evil"] {
        let world = project();
        let evil = marking(&world);
        let world =
            world.script("tools/evil", &evil).script("tools/t.sh", &format!("{line}\n# tool: t\n"));
        refuses(&world, "`#!` line");
    }
    let world = project();
    let (evil, target) = (marking(&world), world.path("tools/evil"));
    let world = world
        .script("tools/evil", &evil)
        .script("tools/t.sh", &format!("#!{}\n# tool: t\n", target.display()));
    refuses(&world, "`#!` line");
}

/// S11: the tool ignores SIGTERM and starts a child process.
#[test]
fn a_hanging_tool_is_killed_with_its_child_processes() {
    let script = "#!/bin/sh\n# tool: t\n# timeout: 300ms\ntrap '' TERM\nsleep 600 &\necho $! > pid\nwhile :; do sleep 600; done\n";
    let world = project().script("tools/t.sh", script);
    let started = Instant::now();
    world.run(&["t"]).exits(3).stderr_contains(&["timed out after 300 ms"]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
    let pid = fs::read_to_string(world.path("tools/pid")).expect("the program ran");
    assert!(is_gone(pid.trim()), "process {pid} still runs");
}

/// The process has ended, or is a zombie.
fn is_gone(pid: &str) -> bool {
    let state = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("ps starts");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

/// S11
#[test]
fn a_tool_with_endless_output_is_stopped() {
    let world = project().file("tools/t.tool.toml", "name = \"t\"\n[run]\ncommand = [\"yes\"]\n");
    let flooded = world.run(&["t"]);
    assert_ne!(flooded.code, 0);
    assert!(flooded.out.len() < 1 << 20, "{} bytes came through", flooded.out.len());
    assert!(flooded.err.contains("8 MiB"), "{}", &flooded.err[..flooded.err.len().min(1000)]);
}

/// S11
#[test]
fn a_tool_need_not_read_its_input() {
    let world = project().file(
        "tools/t.tool.toml",
        "name = \"t\"\n[[parameters]]\nname = \"a\"\n[run]\ncommand = [\"echo\", \"done\"]\n",
    );
    let much = format!("{{\"a\": \"{}\"}}", "x".repeat(4 << 20));
    assert_eq!(world.run_with(much.as_bytes(), &["t", "--input", "-"]).exits(0).out, "done\n");
}

/// The program does not exist, or cannot be executed.
#[test]
fn calling_a_missing_program_is_an_error() {
    let tool = |command: &str| format!("name = \"t\"\n[run]\ncommand = [\"{command}\"]\n");
    let world = project().file("tools/t.tool.toml", &tool("no-such-program-anywhere"));
    lists_only_good_and(&world, &["t"]);
    world
        .run(&["t"])
        .exits(3)
        .stderr_contains(&["`no-such-program-anywhere` is not installed, or not in PATH"]);
    let world = project()
        .file("tools/plain.sh", "#!/bin/sh\n")
        .file("tools/t.tool.toml", &tool("./plain.sh"));
    world.run(&["t"]).exits(3).stderr_contains(&["it is not executable", "chmod +x"]);
}
