//! 1. A server ends with its input, at SIGTERM, or after --ttl; the log records which.
//! 2. A server that ignores all of these is still ended by --ttl; its children, too.
//! 3. The state of a mode between two starts is in --state.

use crate::talk::{Talk, names};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;

fn signal(talk: &Talk, signal: Signal) {
    kill_process(Pid::from_child(&talk.child), signal).unwrap();
}

#[test]
fn the_end_of_input_is_the_end() {
    let mut talk = Talk::with("");
    talk.ask("tools/list", json!({})).answer();
    assert!(talk.ended().success());
    let counts = ["start", "recv", "sent", "eof", "exit"].map(|value| talk.events(value).len());
    assert_eq!(counts, [1; 5]);
    let received = &talk.events("recv")[0];
    assert_eq!(
        (&received["method"], &received["id"], &received["modern"]),
        (&json!("tools/list"), &json!(1), &json!(true))
    );
}

#[test]
fn a_signal_is_logged_and_obeyed() {
    let mut talk = Talk::with("");
    talk.ask("ping", json!({})).line();
    signal(&talk, Signal::TERM);
    assert_eq!(talk.child.wait().unwrap().code(), Some(143));
    assert_eq!(talk.events("signal")[0]["sig"], 15);
}

#[test]
fn ignore_term_is_ended_by_its_ttl_alone() {
    let mut talk = Talk::with("--mode ignore_term --ttl 1");
    talk.ask("ping", json!({})).line();
    signal(&talk, Signal::TERM);
    signal(&talk, Signal::HUP);
    assert_eq!(talk.ended().signal(), Some(9));
    assert_eq!(talk.events("signal").iter().filter(|event| event["ignored"] == true).count(), 2);
    assert_eq!(talk.events("eof").len(), 1);
}

#[test]
fn a_grandchild_outlives_its_parent_until_its_own_ttl() {
    let mut talk = Talk::with("--mode grandchild --ttl 1");
    talk.ask("ping", json!({})).line();
    let child = talk.events("probe")[0]["grandchild"].as_i64().unwrap();
    let child = Pid::from_raw(child as i32).unwrap();
    assert!(test_kill_process(child).is_ok());
    // The child has inherited our end of the pipe, so this ends when the child does.
    assert_eq!(talk.rest(), "");
}

#[test]
fn close_stdout_is_an_end_of_output_only() {
    let mut talk = Talk::with("--mode close_stdout");
    talk.ask("tools/list", json!({})).answer();
    assert_eq!(talk.line(), "");
    assert!(talk.child.try_wait().unwrap().is_none());
}

#[test]
fn rug_restart_turns_at_the_second_start() {
    let folder = tempfile::tempdir().unwrap();
    let words = format!("--mode rug_restart --state {}", folder.path().join("state").display());
    let required = |_| {
        Talk::with(&words).ask("tools/list", json!({})).answer()["result"]["tools"][0]["inputSchema"]["required"]
            .clone()
    };
    assert_eq!(
        [0, 1, 2].map(required),
        [json!(["text"]), json!(["text", "sidenote"]), json!(["text", "sidenote"])]
    );
}

#[test]
fn vanish_has_tools_only_at_first() {
    let mut talk = Talk::with("--mode vanish --after 2");
    let counts =
        [0, 1, 2].map(|_| names(&talk.ask("tools/list", json!({})).answer()["result"]).len());
    assert_eq!(counts, [6, 6, 0]);
}

#[test]
fn a_slow_start_is_slow_and_honest() {
    let started = std::time::Instant::now();
    let mut talk = Talk::with("--delay 0.2");
    talk.ask("ping", json!({})).line();
    assert!(started.elapsed().as_secs_f64() >= 0.2);
}
