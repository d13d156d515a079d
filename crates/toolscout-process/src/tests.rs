//! 1. No process of a program remains after its exit, a flood, a deadline or a cancelled call.
//! 2. No pipe blocks for ever, and no flood fills the memory.
//! 3. A child sees few variables and no file but its own three.
//! 4. Programs are checked before they run, and an error states why one cannot run.

use super::environment::{DEPTH, MAX_DEPTH, from_vars};
use super::program::{checked_file, checked_program, find_in};
use super::{Limits, ProgramOutput, ProgramTask, start};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toolscout_core::{ErrorKind, SourceError, SourceId};
use toolscout_test_support::{World, assert_gone, members, number_in, set_mode};

fn task(program: &Path) -> ProgramTask {
    ProgramTask {
        id: SourceId::local(),
        program: program.to_path_buf(),
        display_name: program.display().to_string(),
        args: Vec::new(),
        cwd: program.parent().expect("a folder").to_path_buf(),
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        stdin: None,
        limits: Limits::within(Duration::from_secs(20)),
        sandbox: None,
    }
}

async fn run(program: &Path) -> ProgramOutput {
    start(&task(program)).await.expect("it runs")
}

fn stdout(outcome: &ProgramOutput) -> String {
    String::from_utf8_lossy(&outcome.stdout).into_owned()
}

#[tokio::test]
async fn background_children_that_hold_the_output_are_killed_without_waiting() {
    let world = World::new();
    let program = world.sh("t", "sleep 1000 &\necho $$ > group\necho done");
    let began = Instant::now();
    let outcome = run(&program).await;
    assert_eq!(stdout(&outcome), "done\n");
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn silent_background_children_are_killed_too() {
    let world = World::new();
    let program =
        world.sh("t", "sleep 1000 </dev/null >/dev/null 2>&1 &\necho $$ > group\necho done");
    assert_eq!(stdout(&run(&program).await), "done\n");
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn stdout_beyond_its_limit_stops_the_program() {
    let world = World::new();
    let mut task =
        task(&world.sh("t", "echo $$ > group\nwhile :; do echo yes yes yes yes yes yes yes; done"));
    task.limits.stdout = 1 << 16;
    let err = start(&task).await.expect_err("too much");
    assert!(err.to_string().contains("printed more than 64 KiB"), "{err}");
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn output_up_to_its_limit_is_kept_whole() {
    let world = World::new();
    let mut task = task(&world.sh("t", "printf 12345678"));
    task.limits.stdout = 8;
    assert_eq!(stdout(&start(&task).await.expect("the output is within the limit")), "12345678");
    task.limits.stdout = 7;
    assert!(start(&task).await.is_err());
}

#[tokio::test]
async fn the_end_of_a_long_stderr_is_kept() {
    let world = World::new();
    let body = "i=0; while [ $i -lt 4000 ]; do printf '%01000d\\n' $i >&2; i=$((i+1)); done; echo last words >&2; echo ok";
    let outcome = run(&world.sh("t", body)).await;
    assert_eq!(stdout(&outcome), "ok\n");
    assert!(outcome.stderr.len() <= (64 << 10) + 8, "{}", outcome.stderr.len());
    let text = outcome.stderr_text();
    assert!(text.starts_with('…') && text.ends_with("last words"));
}

#[tokio::test]
async fn a_program_that_ignores_sigterm_is_killed() {
    let world = World::new();
    let body =
        "trap '' TERM\necho $$ > group\nsleep 1000 & sleep 1001 & wait; while :; do sleep 1; done";
    let mut task = task(&world.sh("t", body));
    task.limits.time = Duration::from_millis(300);
    let err = start(&task).await.expect_err("too long");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    assert!(err.to_string().ends_with("timed out after 300 ms"), "{err}");
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn a_program_may_clean_up_after_sigterm() {
    let world = World::new();
    let body =
        "trap 'echo tidy > left; exit 0' TERM\necho $$ > group\nwhile :; do sleep 0.01; done";
    let mut task = task(&world.sh("t", body));
    task.limits.time = Duration::from_millis(500);
    assert_eq!(start(&task).await.expect_err("too long").kind(), ErrorKind::TimedOut);
    assert_eq!(
        std::fs::read_to_string(world.path().join("left")).expect("it was written"),
        "tidy\n"
    );
    assert_gone(number_in(&world.path().join("group")).await).await;
}

/// The thread ends as if the whole process had been killed: without a drop and without a signal.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_is_killed_when_its_parent_thread_ends() {
    let world = World::new();
    let task: &'static ProgramTask =
        Box::leak(Box::new(task(&world.sh("t", "echo $$ > group\nexec sleep 1000"))));
    let file = world.path().join("group");
    let starter = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut call = Box::pin(start(task));
        let group = runtime.block_on(async {
            tokio::select! {
                it = &mut call => panic!("the call ended early: {it:?}"),
                it = number_in(&file) => it,
            }
        });
        std::mem::forget(call);
        std::mem::forget(runtime);
        group
    });
    let group = starter.join().expect("it started");
    assert_gone(group).await;
}

#[tokio::test]
async fn a_program_that_reads_no_stdin_still_returns_its_output() {
    let world = World::new();
    let mut task = task(&world.sh("t", "echo ok"));
    task.stdin = Some(vec![b'x'; 4 << 20]);
    assert_eq!(stdout(&start(&task).await.expect("it runs")), "ok\n");
}

#[tokio::test]
async fn a_program_that_reads_no_stdin_and_never_exits_times_out() {
    let world = World::new();
    let mut task = task(&world.sh("t", "echo $$ > group\nexec sleep 1000"));
    task.stdin = Some(vec![b'x'; 4 << 20]);
    task.limits.time = Duration::from_millis(300);
    assert_eq!(start(&task).await.expect_err("too long").kind(), ErrorKind::TimedOut);
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn large_input_and_output_do_not_deadlock() {
    let world = World::new();
    let mut task = task(&world.sh("t", "exec cat"));
    let much = vec![b'x'; 4 << 20];
    task.stdin = Some(much.clone());
    assert!(start(&task).await.expect("it runs").stdout == much);
}

#[tokio::test]
async fn a_dropped_call_kills_the_whole_group() {
    let world = World::new();
    let task = task(&world.sh("t", "sleep 1000 &\nsleep 1001 &\necho $$ > group\nwait"));
    let file = world.path().join("group");
    let mut call = Box::pin(start(&task));
    let group = tokio::select! {
        it = &mut call => panic!("the call ended early: {it:?}"),
        it = number_in(&file) => it,
    };
    assert!(!members(group).is_empty());
    drop(call);
    assert_gone(group).await;
}

#[tokio::test]
async fn a_deadline_already_passed_starts_nothing() {
    let world = World::new();
    let mut task = task(&world.sh("t", "echo > started"));
    task.limits.time = Duration::ZERO;
    assert_eq!(start(&task).await.expect_err("the call times out").kind(), ErrorKind::TimedOut);
    assert!(!world.path().join("started").exists());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn open_files_are_not_inherited() {
    let file = std::fs::File::open("/dev/null").expect("`/dev/null` opens");
    let mut copies = Vec::new();
    while copies.last().is_none_or(|owned_fd: &std::os::fd::OwnedFd| {
        std::os::fd::AsRawFd::as_raw_fd(owned_fd) < 20
    }) {
        // Unlike descriptors of the standard library, these would be inherited.
        copies.push(rustix::io::dup(&file).expect("there is room for one more"));
    }
    let number = std::os::fd::AsRawFd::as_raw_fd(copies.last().expect("at least one"));
    let world = World::new();
    let body = format!("if [ -e /proc/$$/fd/{number} ]; then echo open; else echo closed; fi");
    assert_eq!(stdout(&run(&world.sh("t", &body)).await), "closed\n");
}

#[tokio::test]
async fn exit_statuses_are_described() {
    let world = World::new();
    assert_eq!(run(&world.sh("a", "exit 3")).await.exit_description(), "exited with code 3");
    assert_eq!(
        run(&world.sh("b", "kill -KILL $$")).await.exit_description(),
        "was terminated by signal 9 (SIGKILL)"
    );
}

fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// O-08: variables that are not named do not reach the child.
#[test]
fn only_named_variables_are_passed_on() {
    let ours = variables(&[
        ("SECRET", "1"),
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("AWS_TOKEN", "2"),
        ("API_TOKEN", "3"),
        ("https_proxy", "p"),
        ("LD_PRELOAD", "x"),
    ]);
    let theirs = from_vars(ours, &["API_TOKEN".to_owned()]).expect("the nesting depth is allowed");
    let names: Vec<_> =
        theirs.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["PATH", "LC_ALL", "API_TOKEN", "https_proxy", DEPTH]);
}

/// O-08: the child has exactly the variables it was given.
#[tokio::test]
async fn a_child_sees_exactly_the_variables_it_was_given() {
    let ours = variables(&[("SECRET", "1"), ("HOME", "/nowhere")]);
    let env = super::program::find("env").expect("`env` is installed");
    let mut task = task(&env);
    task.env = from_vars(ours, &[]).expect("the nesting depth is allowed");
    assert_eq!(stdout(&start(&task).await.expect("it runs")), "HOME=/nowhere\nTOOLSCOUT_DEPTH=1\n");
}

#[test]
fn recursive_toolscout_processes_are_stopped() {
    let deep = |depth: u32| from_vars(variables(&[(DEPTH, &depth.to_string())]), &[]);
    assert_eq!(
        deep(MAX_DEPTH - 1).expect("the nesting depth is allowed")[0].1,
        MAX_DEPTH.to_string().as_str()
    );
    assert_eq!(deep(MAX_DEPTH).expect_err("too deep").kind(), ErrorKind::Refused);
    // Permitting the variable does not circumvent the limit.
    assert!(from_vars(variables(&[(DEPTH, "8")]), &[DEPTH.to_owned()]).is_err());
}

async fn spawn_reason(task: &ProgramTask) -> String {
    match start(task).await.expect_err("it cannot start") {
        SourceError::Spawn { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_program_that_cannot_start_reports_the_reason() {
    let world = World::new();
    let missing = task(&world.path().join("nope"));
    assert_eq!(spawn_reason(&missing).await, "program not found; install it or correct the path");

    let lost = task(&world.script("lost", "#!/no/such/thing\n"));
    let reason = spawn_reason(&lost).await;
    assert_eq!(
        reason,
        "its interpreter `/no/such/thing` does not exist; install it or change the `#!` line"
    );

    let plain = task(&world.file("plain", "#!/bin/sh\n"));
    assert!(spawn_reason(&plain).await.starts_with("permission denied"));

    let mut nowhere = task(&world.sh("t", ""));
    nowhere.cwd = world.path().join("gone");
    assert!(spawn_reason(&nowhere).await.ends_with("gone` does not exist"));

    let mut long = task(&world.sh("t", ""));
    long.args = vec!["x".repeat(8 << 20).into()];
    assert!(spawn_reason(&long).await.contains("too long for a command line"));
}

fn refusal(path: PathBuf) -> String {
    checked_program(&path, None).expect_err("it must not run")
}

/// S3, S5, S6, S7: only regular files of the folder itself, without set-user-ID.
#[test]
fn only_plain_executables_of_the_folder_may_run() {
    let world = World::new();
    let good = world.sh("good", "true");
    assert_eq!(checked_program(&good, None), Ok(good.clone()));

    let outside = World::new();
    let elsewhere = outside.sh("elsewhere", "true");
    let link = world.path().join("link");
    std::os::unix::fs::symlink(&elsewhere, &link).expect("links can be made");
    assert!(refusal(link.clone()).contains("outside its folder"));
    assert!(checked_file(&link, None).is_err());
    assert_eq!(
        checked_program(&link, Some(&outside.path())),
        Ok(elsewhere),
        "the project may include more than the folder"
    );

    let near = world.path().join("near");
    std::os::unix::fs::symlink(&good, &near).expect("links can be made");
    assert_eq!(checked_program(&near, None), Ok(good));

    assert_eq!(refusal(world.path().join("nope")), "the file does not exist");
    assert!(refusal(world.file("plain", "#!/bin/sh\n")).contains("not executable; run `chmod +x "));
    assert_eq!(refusal(world.path()), "it is not a regular file");
    let raised = world.sh("raised", "true");
    set_mode(&raised, 0o4755);
    assert!(refusal(raised).contains("another user"));
}

/// S5: a link is resolved once, and the checked file is the one that runs.
#[tokio::test]
async fn a_link_changed_between_check_and_start_never_leads_outside() {
    let (world, outside) = (World::new(), World::new());
    let good = world.sh("good", "echo good");
    let evil = outside.sh("evil", "echo evil");
    let (link, next) = (world.path().join("link"), world.path().join("next"));
    std::os::unix::fs::symlink(&good, &link).expect("links can be made");
    let done = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (done, link) = (done.clone(), link.clone());
        move || {
            for target in [evil, good].iter().cycle().take_while(|_| !done.load(Ordering::Relaxed))
            {
                std::os::unix::fs::symlink(target, &next).expect("links can be made");
                std::fs::rename(&next, &link).expect("links can be replaced");
            }
        }
    });
    let (mut ran, mut refused) = (0, 0);
    // Runs until both sides of the race have occurred often; the scheduler determines how long that
    // takes.
    while ran < 50 || refused < 50 {
        match checked_program(&link, None) {
            Ok(real) => {
                assert_eq!(stdout(&run(&real).await), "good\n");
                ran += 1;
            }
            Err(_) => {
                refused += 1;
                std::thread::yield_now();
            }
        }
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().expect("the swapping thread does not panic");
}

/// S7: a named pipe is refused without blocking on it.
#[test]
fn a_pipe_is_no_program() {
    let world = World::new();
    let pipe = world.path().join("pipe");
    let made =
        std::process::Command::new("mkfifo").arg(&pipe).status().expect("`mkfifo` is installed");
    assert!(made.success());
    assert_eq!(refusal(pipe), "it is not a regular file");
}

/// S16: the first line of a script may not make another file of the folder its interpreter.
#[test]
fn interpreters_inside_the_folder_are_refused() {
    let world = World::new();
    let evil = world.sh("evil", "echo got you");
    let absolute = format!("#!{}", evil.display());
    let through_env = format!("#!/usr/bin/env {}", evil.display());
    let lines = [
        "#!./evil",
        "#! evil",
        "#!../evil",
        "#!/bin/../evil",
        "#!/proc/self/cwd/evil",
        "#!/usr/bin/env ./evil",
    ];
    for line in lines.into_iter().chain(["#!/usr/bin/env -S A=1 ./evil", &absolute, &through_env]) {
        let reason = refusal(world.script("t", &format!("{line}\n")));
        assert!(reason.contains("which is not a system interpreter"), "{line}: {reason}");
    }
    for line in
        ["#!/bin/sh", "#! /bin/sh -e", "#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -u"]
    {
        assert!(checked_program(&world.script("t", &format!("{line}\n")), None).is_ok(), "{line}");
    }
}

#[test]
fn a_script_without_an_interpreter_is_never_run_by_a_shell() {
    let world = World::new();
    assert!(refusal(world.script("t", "echo hello\n")).starts_with("it has no `#!` line"));
    assert_eq!(refusal(world.script("t", "")), "the file is empty");
    assert_eq!(refusal(world.script("t", "#!\n")), "its `#!` line names no interpreter");
}

#[test]
fn names_are_looked_up_in_absolute_folders_only() {
    let world = World::new();
    let program = world.sh("thing", "true");
    world.file("data", "");
    let path = |text: &str| OsString::from(text);
    assert_eq!(find_in(world.path().as_os_str(), "thing"), Some(program));
    assert_eq!(find_in(world.path().as_os_str(), "data"), None, "not executable");
    assert_eq!(find_in(&path(".:"), "thing"), None);
    for name in ["../thing", "./thing", "a/thing", "", ".", "..", "/bin/sh"] {
        assert_eq!(find_in(world.path().as_os_str(), name), None, "{name}");
    }
}
