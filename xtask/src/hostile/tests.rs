//! Proves that
//! 1. every kind of fault is found, and a meeting without one is left alone,
//! 2. a command that does not end is ended, and what it said is kept,
//! 3. a process is known by its mark, and only by it.

use super::meeting::{Meeting, Transport};
use super::verdict::{raw_character, reasons};
use super::watched::Watched;
use super::{fit_for_a_cell, survivors};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Duration;

const TOOLS: &str = r#"[{"source":"hostile","name":"echo"},{"source":"honest","name":"echo"}]"#;
const SERVERS: &str = r#"[{"id":"hostile","status":"success","error":null}]"#;

fn said(code: i32, out: &str) -> Watched {
    let status = Some(ExitStatus::from_raw(code << 8));
    Watched { status, time: Duration::ZERO, peak: 10 << 20, out: out.into(), err: Vec::new() }
}

fn fine() -> Meeting {
    Meeting {
        mode: "honest".to_owned(),
        transport: Transport::Stdio,
        refresh: said(0, ""),
        servers: said(0, SERVERS),
        tools: said(0, TOOLS),
        honest: said(0, "hi\n"),
        hostile: said(0, "hi\n"),
        starts: 2,
        lists: 1,
        survivors: 0,
        canary_hits: 0,
    }
}

fn found(change: impl FnOnce(&mut Meeting)) -> String {
    let mut meeting = fine();
    change(&mut meeting);
    reasons(&meeting, 10 << 20).join("; ")
}

#[test]
fn a_meeting_without_fault_has_none() {
    assert_eq!(found(|_| ()), "");
}

#[test]
fn every_fault_is_found() {
    assert_eq!(found(|it| it.refresh.status = None), "`server refresh` did not end in time");
    assert!(found(|it| it.tools.status = Some(ExitStatus::from_raw(6))).starts_with("`tools` broke down: signal: 6"));
    assert!(found(|it| it.refresh.err = b"thread 'main' panicked at x.rs".to_vec()).contains("broke down"));
    assert_eq!(found(|it| it.servers.err = b"\x1b[31m".to_vec()), "`server list` lets U+001B through");
    assert_eq!(found(|it| it.refresh.peak = 100 << 20), "90 MB more than with an honest server");
    assert_eq!(found(|it| it.starts = 7), "7 starts");
    assert_eq!(found(|it| it.lists = 13), "13 lists");
    assert_eq!(found(|it| it.survivors = 1), "1 processes survive");
    assert_eq!(found(|it| it.canary_hits = 1), "1 connections to where none should go");
    assert!(
        found(|it| it.tools.out = b"[]".to_vec()).contains("the honest server's tools are missing; `echo` is missing")
    );
    assert!(found(|it| it.honest = said(1, "")).contains("the honest server's tool does not answer"));
    assert!(found(|it| it.hostile = said(4, "")).contains("the call does not answer"));
    assert!(found(|it| it.hostile.out = b"hi hush-5c1f0a".to_vec()).contains("shows a secret"));
}

#[test]
fn a_server_that_must_fail_must_be_said_to_have_failed() {
    let failing = |servers: &str, refresh: i32, tools: &str, call: i32| {
        found(|it| {
            it.mode = "hang_list".to_owned();
            (it.servers, it.refresh, it.hostile) = (said(0, servers), said(refresh, ""), said(call, ""));
            it.tools = said(0, tools);
        })
    };
    let honest = r#"[{"source":"honest","name":"echo"}]"#;
    let why = r#"[{"id":"hostile","status":"failed","error":"timed out"}]"#;
    assert_eq!(failing(why, 3, honest, 5), "");
    assert_eq!(failing(why, 0, honest, 5), "`server refresh` ends with Some(0), not 3");
    assert_eq!(failing(why, 3, honest, 0), "the call is said to have worked");
    assert_eq!(failing(why, 3, TOOLS, 5), "1 tools out of nothing");
    assert_eq!(failing(SERVERS, 3, honest, 5), "its status is \"success\"");
    let silent = r#"[{"id":"hostile","status":"failed","error":""}]"#;
    assert_eq!(failing(silent, 3, honest, 5), "nothing says why it failed");
}

#[test]
fn characters_that_steer_or_hide_are_found() {
    assert_eq!(raw_character("plain, ümlaut,\tand lines\n"), None);
    for bad in ['\u{1b}', '\r', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{e0041}'] {
        assert_eq!(raw_character(&format!("a{bad}b")), Some(bad));
    }
}

#[test]
fn a_command_that_does_not_end_is_ended() {
    let mut endless = Command::new("sh");
    endless.args(["-c", "echo here; exec sleep 60"]);
    let watched = Watched::run(&mut endless, Duration::from_millis(300)).unwrap();
    assert!(watched.status.is_none() && watched.time < Duration::from_secs(30));
    assert_eq!(watched.said(), "here\n");
}

#[test]
fn a_process_is_known_by_a_whole_word() {
    assert!(survivors::has(b"server\0--name\0met-1-1\0", b"met-1-1"));
    assert!(!survivors::has(b"server\0--name\0met-1-12\0", b"met-1-1"));
}

#[test]
fn what_a_server_said_stays_in_its_cell() {
    assert_eq!(fit_for_a_cell("a|b\nc\u{1b}"), "a\\|b c ");
    assert_eq!(fit_for_a_cell(&"x".repeat(200)).chars().count(), 161);
}
