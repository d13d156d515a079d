//! Proves that
//! 1. every kind of fault is found, and a meeting without one passes,
//! 2. a command that does not end is killed, and its output is captured,
//! 3. a process is identified only by its mark,
//! 4. the modes in [`short`] do no harm.

mod short;

use super::expect::{ListingExpectation, expected};
use super::long::busiest;
use super::meeting::{Meeting, MeetingStep, StepKind};
use super::options::Options;
use super::table::fit_for_a_cell;
use super::terms::{MeetingTransport, TimeLimits};
use super::verdict::{raw_character, reasons};
use super::watched::Watched;
use super::{probe, survivors};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Duration;

const TOOLS: &str = r#"[{"source":"hostile","name":"echo"},{"source":"honest","name":"echo"}]"#;
const FOUND: &str = r#"[{"id":"hostile/echo"},{"id":"honest/echo"}]"#;
const SERVERS: &str = r#"{"servers":[{"id":"hostile","discoveryStatus":"success","discoveryError":null,"lastDiscovery":"2026-07-28T00:00:00Z"}]}"#;

fn said(code: i32, out: &str) -> Watched {
    let status = Some(ExitStatus::from_raw(code << 8));
    Watched { status, time: Duration::ZERO, peak: 10 << 20, out: out.into(), err: Vec::new() }
}

fn of_mode(mode: &str) -> Meeting {
    let step =
        |kind, name: &str, out| MeetingStep { name: name.to_owned(), kind, watched: said(0, out) };
    let mut steps = vec![
        step(StepKind::Ask, "server refresh", ""),
        step(StepKind::Read, "server list --json", SERVERS),
        step(StepKind::Read, "tools --json", TOOLS),
        step(StepKind::Read, "search echo a text --json", FOUND),
        step(StepKind::Read, "review --json", "[]"),
        step(StepKind::Run, "run honest/echo", "hi\n"),
        step(StepKind::Run, "run hostile/echo", "hi\n"),
    ];
    steps.extend(
        probe::probes(mode)
            .iter()
            .map(|probe| step(StepKind::Run, &format!("run {}", probe.tool), "")),
    );
    let mut expected = expected(mode, MeetingTransport::Stdio);
    if let ListingExpectation::Finds(_, count) = &mut expected.listing {
        *count = 1;
    }
    Meeting {
        mode: mode.to_owned(),
        transport: MeetingTransport::Stdio,
        terms: TimeLimits::FULL,
        expected,
        steps,
        starts: 2,
        lists: 1,
        starts_by_reading: 0,
        survivors: 0,
        canary_hits: 0,
        strays: Vec::new(),
    }
}

/// The faults after this change of a successful meeting.
fn found(change: impl FnOnce(&mut Meeting)) -> String {
    found_in("honest", change)
}

fn found_in(mode: &str, change: impl FnOnce(&mut Meeting)) -> String {
    let mut meeting = of_mode(mode);
    change(&mut meeting);
    reasons(&meeting, 10 << 20).join("; ")
}

fn command<'a>(meeting: &'a mut Meeting, name: &str) -> &'a mut Watched {
    &mut meeting.steps.iter_mut().rev().find(|step| step.name == name).unwrap().watched
}

#[test]
fn a_meeting_without_fault_has_none() {
    assert_eq!(found(|_| ()), "");
}

#[test]
fn every_fault_of_a_command_is_found() {
    let of = |change: fn(&mut Watched)| found(|value| change(command(value, "server list --json")));
    assert!(of(|value| value.status = None).starts_with("`server list --json` did not end"));
    assert!(
        of(|value| value.status = Some(ExitStatus::from_raw(6)))
            .contains("`server list --json` broke down: signal: 6")
    );
    assert!(
        of(|value| value.err = b"thread 'main' panicked at x.rs".to_vec()).contains("broke down")
    );
    assert_eq!(
        of(|value| value.err = b"\x1b[31m".to_vec()),
        "`server list --json` lets U+001B through"
    );
    assert_eq!(
        of(|value| value.time = Duration::from_secs(2)),
        "`server list --json` took 2000 ms"
    );
    assert_eq!(
        of(|value| value.err = b"hush-5c1f0a".to_vec()),
        "`server list --json` shows a secret of our environment"
    );
    assert_eq!(
        of(|value| value.err = b"given-77e0b2".to_vec()),
        "`server list --json` shows a secret of the server"
    );
    assert_eq!(of(|value| value.peak = 100 << 20), "90 MB more than with an honest server");
    let slow =
        |meeting: &mut Meeting| command(meeting, "tools --json").time = Duration::from_millis(200);
    assert_eq!(
        (found(slow), found_in("ref_cycle", slow)),
        (String::new(), "`tools --json` took 200 ms".to_owned())
    );
}

#[test]
fn what_a_tool_prints_is_its_own_but_for_our_secrets() {
    let of =
        |out: &str| found(|value| command(value, "run hostile/echo").out = out.as_bytes().to_vec());
    assert_eq!(of("hi \x1b given-77e0b2"), "");
    assert_eq!(of("hi hush-5c1f0a"), "`run hostile/echo` shows a secret of our environment");
}

#[test]
fn every_fault_of_a_meeting_is_found() {
    assert_eq!(found(|value| value.starts = 4), "4 starts");
    assert_eq!(found(|value| value.starts_by_reading = 1), "1 starts by commands that only read");
    assert_eq!(found(|value| value.lists = 13), "13 lists");
    assert_eq!(found(|value| value.survivors = 1), "1 processes survive");
    assert_eq!(found(|value| value.canary_hits = 1), "1 connections to where none should go");
    assert_eq!(found(|value| value.strays.push("home/x".to_owned())), "home/x");
    assert_eq!(
        found(|value| command(value, "tools --json").out = b"[]".to_vec()),
        "the honest server's tools are missing; `echo` is missing: null"
    );
    let two = TOOLS.replace("]", r#",{"source":"hostile","name":"smuggled"}]"#);
    assert_eq!(
        found(|value| command(value, "tools --json").out = two.into_bytes()),
        "2 tools, not 1"
    );
    assert_eq!(
        found(|value| command(value, "review --json").out = b"[{}]".to_vec()),
        "1 tools are quarantined, not 0"
    );
    assert_eq!(
        found(|value| command(value, "search echo a text --json").out =
            br#"[{"id":"hostile/echo"}]"#.to_vec()),
        "a search finds hostile/echo before `honest/echo`"
    );
    assert!(
        found(|value| *command(value, "run honest/echo") = said(1, ""))
            .contains("the honest server's tool does not")
    );
    let slow =
        |meeting: &mut Meeting| command(meeting, "run honest/echo").time = Duration::from_secs(2);
    assert_eq!(found(slow), "the honest server's tool took 2000 ms");
    assert!(
        found(|value| *command(value, "run hostile/echo") = said(4, ""))
            .contains("the call does not answer")
    );
    let unknown = |meeting: &mut Meeting| {
        command(meeting, "server list --json").out =
            SERVERS.replace(r#""2026-07-28T00:00:00Z""#, "null").into_bytes();
    };
    assert_eq!(found(unknown), "`server list` is incomplete: status \"success\", since null");
}

#[test]
fn what_fails_has_to_say_so() {
    let fails = |status: &str, error: &str, code: i32| {
        found_in("exit_now", |value| {
            let tools = TOOLS.replace(r#"{"source":"hostile","name":"echo"},"#, "");
            command(value, "tools --json").out = tools.into_bytes();
            let servers = SERVERS.replace("success", status).replace("null", &format!("{error:?}"));
            command(value, "server list --json").out = servers.into_bytes();
            *command(value, "server refresh") = said(code, "");
            let err = b"it exited with code 1: fatal: cannot load config".to_vec();
            *command(value, "run hostile/echo") = Watched { err, ..said(3, "") };
        })
    };
    assert_eq!(fails("failed", "it exited with code 1: fatal: cannot load config", 3), "");
    assert!(fails("failed", "something", 3).starts_with("the error does not contain `"));
    assert!(fails("success", "", 3).starts_with("its status is"));
    assert!(
        fails("failed", "it exited with code 1: fatal: cannot load config", 0).contains("not 3")
    );
}

#[test]
fn probes_have_to_end_as_they_should() {
    let of = |code: i32, err: &str| {
        found_in("output_lie", |value| {
            *command(value, "run hostile/typed") =
                Watched { err: err.as_bytes().to_vec(), ..said(code, "{}") };
        })
    };
    assert_eq!(of(0, "warning: the result does not match the output schema: x"), "");
    assert!(of(0, "").starts_with("`run hostile/typed` ends with Some(0), not Warning("));
    assert!(of(4, "the result does not match the output schema").contains("ends with Some(4)"));
}

#[test]
fn only_characters_that_steer_or_hide_are_found() {
    assert_eq!(raw_character("plain, größer, 日本, \t and \n"), None);
    for bad in ['\u{1b}', '\r', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{e0041}']
    {
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
    assert_eq!(fit_for_a_cell(&"x".repeat(300)).chars().count(), 201);
}

#[test]
fn a_call_that_fails_is_explained_where_the_list_is_not() {
    let mut meeting = of_mode("honest");
    assert_eq!(
        (meeting.counts(), meeting.reason()),
        ("success | 1 | 0 | 2 | 1 | 0".to_owned(), String::new())
    );
    let err = b"error: source `hostile`: it is gone\n  hint: wait\n".to_vec();
    *command(&mut meeting, "run hostile/echo") = Watched { err, ..said(3, "") };
    assert_eq!(
        (meeting.counts(), meeting.reason()),
        ("success | 1 | 0 | 2 | 1 | 3".to_owned(), "it is gone".to_owned())
    );
    command(&mut meeting, "run hostile/echo").err = b"Error: obey me\n".to_vec();
    assert_eq!(meeting.reason(), "the tool reported a failure");
}

#[test]
fn the_busiest_minute_is_that_of_one_process() {
    let at = |pid: u32, t: f64| serde_json::json!({"pid": pid, "t": t});
    assert_eq!(busiest(&[]), 0);
    assert_eq!(busiest(&[at(1, 0.0), at(1, 59.9), at(1, 60.1), at(1, 100.0), at(2, 60.2)]), 3);
}

#[test]
fn words_are_modes_and_options() {
    let parse = |words: &[&str]| {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    let options =
        parse(&["ansi", "--http", "--server", "python3 x.py", "storm", "--long"]).unwrap();
    assert_eq!(
        options,
        Options {
            modes: vec!["ansi".to_owned(), "storm".to_owned()],
            only: Some(MeetingTransport::Http),
            is_long: true,
            server: Some(vec!["python3".to_owned(), "x.py".to_owned()]),
            ..Options::default()
        }
    );
    assert_eq!(
        parse(&["--loud"]).unwrap_err().to_string(),
        "`--loud` is not an option of `hostile`"
    );
    assert_eq!(parse(&["--built"]).unwrap_err().to_string(), "`--built` needs a value");
}
