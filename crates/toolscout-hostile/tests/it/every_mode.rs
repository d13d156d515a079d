//! 1. Every mode starts, accepts requests of both eras over stdio, and never panics.
//! 2. The same holds over HTTP, for modes that differ there.

use crate::talk::program;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use toolscout_hostile::{Mode, Transports, modes};

/// Small values, so that a hundred modes take a second or two.
const SMALL: &str = "--size 1000 --count 3 --delay 0.01 --ttl 20";

const ASKED: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/list"}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}
"#;

fn start(mode: &Mode, folder: &Path, more: &[&str]) -> Child {
    let mut command = program();
    command
        .args(["--mode", mode.name, "--log"])
        .arg(folder.join(mode.name))
        .args(SMALL.split(' '))
        .args(more);
    let complaints = folder.join(format!("{}.err", mode.name));
    let is_endless = mode.name == "stderr_firehose";
    command.stderr(if is_endless {
        Stdio::null()
    } else {
        File::create(complaints).unwrap().into()
    });
    command.stdin(Stdio::piped()).stdout(if more.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    });
    command.spawn().unwrap()
}

fn count(mode: &Mode, folder: &Path, event: &str) -> usize {
    let log = fs::read_to_string(folder.join(mode.name)).unwrap_or_default();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|value| value["mode"] == mode.name && value["ev"] == event).count()
}

/// Waits until the log has this many events of this kind, and ends the server, if it does not end
/// by itself.
fn logs(
    mode: &Mode,
    folder: &Path,
    mut child: Child,
    (event, wanted): (&str, usize),
    ends_itself: bool,
) {
    let patience = Instant::now() + Duration::from_secs(30);
    while count(mode, folder, event) < wanted && Instant::now() < patience {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    if !ends_itself {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert_eq!(count(mode, folder, event), wanted, "{}", mode.name);
    let complaints =
        fs::read_to_string(folder.join(format!("{}.err", mode.name))).unwrap_or_default();
    assert!(
        !complaints.contains("panicked") && status.code() != Some(101),
        "{}: {complaints}",
        mode.name
    );
}

#[test]
fn every_mode_takes_requests_over_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let started: Vec<(&Mode, Child)> = modes()
        .iter()
        .map(|mode| {
            let mut child = start(mode, folder.path(), &[]);
            // A server that exits immediately does not read; the log shows that.
            let _ = child.stdin.take().unwrap().write_all(ASKED.as_bytes());
            (mode, child)
        })
        .collect();
    for (mode, child) in started {
        let wanted = match mode.name {
            "exit_now" => 0,
            // These modes end, or stop reading, with the first list.
            "exit_after_list" | "exit_mid_list" | "close_stdin" | "stop_reading" => 3,
            "close_stdout" => 4,
            _ => 5,
        };
        let stays =
            ["ignore_term", "close_stdin", "close_stdout", "stop_reading"].contains(&mode.name);
        logs(mode, folder.path(), child, ("recv", wanted), !stays);
    }
}

#[test]
fn every_mode_takes_requests_over_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let started: Vec<(&Mode, Child)> = modes()
        .iter()
        .filter(|mode| mode.transports != Transports::Stdio)
        .map(|mode| {
            let mut child = start(mode, folder.path(), &["--http", "0"]);
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let address = line.trim().strip_prefix("listening ").unwrap().to_owned();
            for message in ASKED.lines() {
                let mut stream = TcpStream::connect(&address).unwrap();
                write!(
                    stream,
                    "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{message}",
                    message.len()
                )
                .unwrap();
            }
            (mode, child)
        })
        .collect();
    for (mode, child) in started {
        logs(mode, folder.path(), child, ("http", 5), false);
    }
}
